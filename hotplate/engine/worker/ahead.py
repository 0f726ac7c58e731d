"""Going ahead: what becomes ready and asks nothing outside is checked in the same transaction.

In a chain of values each resource waits for the one before. One transaction brings as many of them
to their end as it has the time for, instead of two transactions for each.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection

from hotplate.engine.check.claims import Claim, Outcome, OutcomeKind
from hotplate.engine.context import Tools
from hotplate.engine.published_values import Publications, PublishedValues
from hotplate.engine.recipes.book import Bound
from hotplate.model import Node, NodeState, Stack, Task, Version
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.store.nodes import lock_nodes
from hotplate.store.sealing import CannotOpen, KeyRefused
from hotplate.store.versions import read_versions

AtOnce = Callable[[Claim, Bound, PublishedValues], Outcome | None]
"""Returns the outcome of a node that calls no provider, None if it does."""

SECONDS: Final = 0.01
"""How long it goes on with more of them: others wait for the transaction."""

FEW: Final = 16
"""Nodes with which it goes on in any case: a small stack needs no second transaction because the
processor was busy with something else."""


class Ahead:
    """Checks the nodes that outcomes make ready, those that these make ready, and so on.

    It reads and locks rows, and writes nothing: what it finds is recorded with the outcomes that
    led to it. Nothing is remembered, for a transaction may be run again. A node is left alone, and
    is ready for whoever claims it, unless all is at hand and it comes to its end without any wait.
    """

    def __init__(self, tools: Tools, check: AtOnce, published: Publications) -> None:
        self._tools = tools
        self._check = check
        self._published = published

    def outcomes(
        self, connection: Connection, recorded: Sequence[Outcome], stacks: Mapping[str, Stack]
    ) -> list[Outcome]:
        """Return how nodes end that become ready by these outcomes, of stacks that are locked."""
        try:
            return _Walk(self._tools, self._check, self._published, stacks).run(
                connection, recorded
            )
        except (CannotOpen, KeyRefused):
            return []  # whoever claims the node says so


class _Walk:
    """One transaction's way along the graph."""

    def __init__(
        self, tools: Tools, check: AtOnce, published: Publications, stacks: Mapping[str, Stack]
    ) -> None:
        self._tools = tools
        self._check = check
        self._published = published
        self._stacks = stacks
        self._nodes: dict[int, Node] = {}
        self._finished: Counter[int] = Counter()
        """Predecessors that have finished in this transaction, by node."""
        self._versions: dict[int, Version] = {}
        """As they will be when the transaction ends."""
        self._offering: dict[tuple[str, str], Version] = {}

    def run(self, connection: Connection, recorded: Sequence[Outcome]) -> list[Outcome]:
        end = self._tools.world.uptime() + SECONDS
        found: list[Outcome] = []
        latest = [outcome for outcome in recorded if self._is_counted(outcome)]
        for outcome in recorded:
            self._keep(outcome)
        most = self._tools.ahead
        while latest and len(found) < most and self._has_time(len(found), end):
            ready = self._ready_by(connection, latest)[: most - len(found)]
            latest = self._checked(connection, ready, len(found), end)
            found += latest
        return found

    def _has_time(self, count: int, end: float) -> bool:
        return count < FEW or self._tools.world.uptime() < end

    def _is_counted(self, outcome: Outcome) -> bool:
        """Tell whether an outcome is one that successors hear of."""
        node = outcome.claim.node
        is_current = node.sequence == self._stacks[node.stack_id].sequence
        return outcome.kind is OutcomeKind.FINISHED and is_current

    def _keep(self, outcome: Outcome) -> None:
        """Remember the versions that are about to be written, and what they offer to others."""
        node, version = outcome.claim.node, outcome.claim.version
        for changed in (version, outcome.replaced):
            if changed is not None:
                self._versions[changed.id] = changed
        if node.task is Task.UPDATE and self._is_counted(outcome):
            self._offering[node.stack_id, node.name] = version

    def _ready_by(self, connection: Connection, latest: Iterable[Outcome]) -> list[Node]:
        """Return nodes that wait for nothing more, once these outcomes are recorded."""
        targets = [each for outcome in latest for each in outcome.claim.node.successors]
        self._finished.update(targets)
        unread = sorted(set(targets).difference(self._nodes))[: self._tools.ahead]
        self._nodes.update(lock_nodes(connection, unread))
        nodes = [self._nodes[each] for each in dict.fromkeys(targets) if each in self._nodes]
        return [
            node
            for node in nodes
            if node.state is NodeState.WAITING and node.need == self._finished[node.id]
        ]

    def _checked(
        self, connection: Connection, nodes: Sequence[Node], before: int, end: float
    ) -> list[Outcome]:
        """Return the outcomes of those of the nodes that come to their end at once."""
        unread = {node.version_id for node in nodes}.difference(self._versions)
        known = read_versions(connection, unread) if unread else {}
        found: list[Outcome] = []
        for node in nodes:
            if not self._has_time(before + len(found), end):
                break
            version = known.get(node.version_id) or self._versions.get(node.version_id)
            if version is None or not self._is_simple(node, version):
                continue
            outcome = self._outcome(Claim(node, version, self._stacks[node.stack_id]))
            if outcome is not None and outcome.kind is OutcomeKind.FINISHED:
                self._keep(outcome)
                found.append(outcome)
        return found

    def _outcome(self, claim: Claim) -> Outcome | None:
        bound = self._tools.book.known(claim.stack.id, claim.stack.recipe)
        if bound is None or bound.secrets is None:
            return None
        values = self._values(claim, bound)
        return None if values is None else self._check(claim, bound, values)

    def _is_simple(self, node: Node, version: Version) -> bool:
        """Tell whether a node may well end at once, and nothing special is known of it."""
        stack = self._stacks[node.stack_id]
        if node.sequence != stack.sequence or node.releases or node.hook or node.passed:
            return False
        if node.task is Task.CLEANUP and version.owner == node.sequence:
            return True
        if version.id in self._versions:
            return False  # what is told of an earlier change would be that of a later one
        if version.intent is not None or version.is_external or version.cookie is not None:
            return False
        try:
            instant = resource_type_for(self._tools.catalogue, version.type_name).instant
        except UnknownType:
            return False
        return instant and node.task in (Task.UPDATE, Task.CLEANUP)

    def _values(self, claim: Claim, bound: Bound) -> PublishedValues | None:
        """Return what the resources offer that a node depends on; None if something is unknown."""
        values = PublishedValues()
        name, graph = claim.node.name, bound.template.graph
        if claim.node.task is not Task.UPDATE or name not in graph:
            return values
        published = self._published.known(claim.stack)
        for other in graph.requires(name):
            version = self._offering.get((claim.stack.id, other))
            if version is not None:
                values.add(version)
            elif not values.take(other, published):
                return None
        return values
