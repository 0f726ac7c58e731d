"""A template with the parameter values of one stack: conditions decided, dependencies known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from hotplate.bounded import must_be_light, time_limit
from hotplate.document import Cause, Data, Problem, did_you_mean
from hotplate.graph import CycleError, Graph, graph_of
from hotplate.secret import Secrets
from hotplate.template.alike import AlikeResources, in_own_words, names_of, with_words
from hotplate.template.budget import DEFAULT_UNITS, Budget
from hotplate.template.compiler import cycle_message
from hotplate.template.definition import (
    LOWER_CASE_POLICIES,
    POLICIES,
    DeletionPolicy,
    Output,
    ResourceDefinition,
    reference_path,
)
from hotplate.template.errors import BadCall, Problems, ResolveError, kind_of
from hotplate.template.expression import Call, Expression, Faulty, walk_active
from hotplate.template.functions.logic import conditions_named, truth
from hotplate.template.functions.references import (
    GetAttr,
    ResourceReference,
    references_in,
    trial,
)
from hotplate.template.packed_resources import PackedResources
from hotplate.template.scope import AttributePath, Facade, ResourceData, Scope
from hotplate.template.template import Template

_SECONDS = 2.0
"""Processor time for the patterns and queries of one operation."""

_UNITS_PER_ENTRY = 10_000
"""What each entry of a template adds to the budget of an operation on all of them."""

_LIGHT_PER_ENTRY = 16
"""What each entry counts for where only light work may be done: 128 take a moment."""

_MOST_FAILURES = 100

_EDGES = "edges"
"""Key of what is sent in place of the graphs: most nodes of a large one require nothing."""

_NO_RESOURCES: Mapping[str, ResourceData] = MappingProxyType({})


_Value = TypeVar("_Value")

Implicit = Callable[["BoundTemplate"], Mapping[str, Iterable[str]]]
"""Returns what resources require besides what the template says. Pure."""


class BoundTemplate:
    """Immutable after construction. Raises InvalidTemplate if the values do not fit together.

    ``resources`` and ``outputs`` hold what the conditions let through; ``disabled_outputs``
    names the outputs that exist but are null. ``explicit_graph`` has the dependencies that the
    template says, by references and depends_on; ``implicit`` says which there are besides.
    ``inherited`` are secrets of the stack around this one: values in the template that have one in
    them are typed as secrets when they are resolved.
    """

    def __init__(
        self,
        template: Template,
        parameters: Mapping[str, Data],
        files: Mapping[str, str] | None = None,
        facade: Facade | None = None,
        implicit: Implicit | None = None,
        inherited: Secrets | None = None,
    ) -> None:
        self.template = template
        self._inherited = inherited
        self._secret_parameters = getattr(parameters, "secret_names", ())
        self._implicit = implicit
        self._parameters = parameters
        self._files = files or {}
        self._facade = facade
        self._problems = Problems(template.document)
        self._conditions: dict[str, bool] = {}
        self._deciding: set[str] = set()
        entries = len(template.conditions) + len(template.resources) + len(template.outputs)
        must_be_light(entries * _LIGHT_PER_ENTRY)
        self._units = DEFAULT_UNITS + entries * _UNITS_PER_ENTRY
        self._budget = Budget(self._units)
        with time_limit(_SECONDS):
            self._decide_conditions()
            self._problems.raise_if_any()
            word = template.dialect.keywords.condition
            self._disabled = tuple(
                definition.name
                for definition in in_own_words(template.resources)
                if definition.condition is not None
                and not self._holds(definition.condition, (*definition.path, word))
            )
            self.resources = _without(template.resources, self._disabled)
            self.outputs: Mapping[str, Output] = MappingProxyType(
                {
                    name: output
                    for name, output in template.outputs.items()
                    if self._holds(output.condition, (*output.path, word))
                }
            )
            self.disabled_outputs = tuple(n for n in template.outputs if n not in self.outputs)
            self._problems.raise_if_any()
            self.explicit_graph = self._build_graph()
            self._policies = self._deletion_policies()
            self._problems.raise_if_any()

    def __getstate__(self) -> dict[str, Any]:
        # The other side has the template, and with it the resources and the document.
        left_out = ("resources", "_problems", "explicit_graph", "graph")
        state = {key: value for key, value in vars(self).items() if key not in left_out}
        found = vars(self).get("graph")
        edges = None if found is None or found is self.explicit_graph else found.edges()
        return {**state, _EDGES: (self.explicit_graph.edges(), found is not None, edges)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        explicit, is_found, edges = state.pop(_EDGES)
        vars(self).update(state)
        self._problems = Problems(self.template.document)
        self.resources = _without(self.template.resources, self._disabled)
        names = names_of(self.resources)
        self.explicit_graph = graph_of(names, explicit)
        if is_found:
            self.graph = self.explicit_graph if edges is None else graph_of(names, edges)

    @cached_property
    def graph(self) -> Graph[str]:
        """What requires what: what the template says, and what is implicit besides.

        An implicit dependency that would close a cycle is left out. Found when it is first asked
        for, since only the resource types know what is implicit.
        """
        if self._implicit is None:
            return self.explicit_graph
        with time_limit(_SECONDS):
            return self.explicit_graph.extended(self._implicit(self))

    def scope(
        self,
        resources: Mapping[str, ResourceData] = _NO_RESOURCES,
        budget: Budget | None = None,
    ) -> Scope:
        """Return what expressions are resolved against, by default with a fresh budget."""
        return Scope(
            parameters=self._parameters,
            condition=self.condition,
            resources=resources,
            files=self._files,
            facade=self._facade,
            budget=budget or Budget(),
            secret_parameters=self._secret_parameters,
        )

    def condition(self, name: str) -> bool:
        """Return whether a named condition holds."""
        if name in self._conditions:
            return self._conditions[name]
        expression = self.template.conditions.get(name)
        if expression is None:
            raise BadCall(
                f'there is no condition "{name}"', did_you_mean(name, self.template.conditions)
            )
        if name in self._deciding:
            raise BadCall(f'the condition "{name}" depends on itself')
        self._deciding.add(name)
        try:
            value = expression.resolve_alone(self.scope(budget=self._budget))
        except RecursionError:
            raise BadCall("conditions name each other too many times over") from None
        finally:
            self._deciding.discard(name)
        if not isinstance(value, bool):
            raise BadCall(
                f'the condition "{name}" is {kind_of(value)}', "a condition must give true or false"
            )
        self._conditions[name] = value
        return value

    def properties(
        self, name: str, resources: Mapping[str, ResourceData] = _NO_RESOURCES
    ) -> dict[str, Data]:
        """Return the resolved properties of a resource. Raises ResolveError."""
        return self._resolved_map(self.resources[name].properties, resources)

    def metadata(
        self, name: str, resources: Mapping[str, ResourceData] = _NO_RESOURCES
    ) -> dict[str, Data]:
        """Return the resolved metadata of a resource. Raises ResolveError."""
        return self._resolved_map(self.resources[name].metadata, resources)

    def update_policy(
        self, name: str, resources: Mapping[str, ResourceData] = _NO_RESOURCES
    ) -> dict[str, Data]:
        """Return the resolved update policy of a resource. Raises ResolveError."""
        return self._resolved_map(self.resources[name].update_policy, resources)

    def external_id(
        self, name: str, resources: Mapping[str, ResourceData] = _NO_RESOURCES
    ) -> str | None:
        """Return the external id of a resource, None if it is managed. Raises ResolveError."""
        definition = self.resources[name]
        value = self._resolve(definition.external_id, resources)
        path = (*definition.path, self.template.dialect.keywords.external_id)
        if isinstance(value, dict | list | bool):
            raise ResolveError(Problem(f"must give a text, not {kind_of(value)}", path))
        if value is not None and not str(value).strip():
            hint = "name an object, or give null for a resource that is managed"
            raise ResolveError(Problem("must not be empty", path, hint))
        return None if value is None else str(value)

    def deletion_policy(self, name: str) -> DeletionPolicy:
        """Return what happens to the object of a resource when that is deleted."""
        return self._policies.get(name, DeletionPolicy.DELETE)

    def output(self, name: str, resources: Mapping[str, ResourceData] = _NO_RESOURCES) -> Data:
        """Return an output's value, null if its condition does not hold. Raises ResolveError."""
        if name not in self.outputs:
            return None
        self._check_output(self.outputs[name])
        return self._resolve(self.outputs[name].value, resources)

    @time_limit(_SECONDS)
    def output_targets(self, name: str | None = None) -> frozenset[str]:
        """Return the resources that the outputs refer to, or one of them."""
        scope = self.scope()
        return frozenset(
            reference.target(scope)
            for key, output in self.outputs.items()
            if name in (None, key)
            for reference in references_in(output.value, scope)
        )

    @time_limit(_SECONDS)
    def needed_attributes(self) -> dict[str, frozenset[AttributePath]]:
        """Return for each resource the attributes that other resources and outputs ask for.

        An empty path means all attributes.
        """
        parts: list[Expression] = [output.value for output in self.outputs.values()]
        for definition in in_own_words(self.resources):
            parts.extend(definition.parts())
        return self._asked_in(parts)

    @time_limit(_SECONDS)
    def attributes_of_output(self, name: str) -> dict[str, frozenset[AttributePath]]:
        """Return for each resource the attributes that one output asks for, as above."""
        return self._asked_in([self.outputs[name].value] if name in self.outputs else [])

    def _asked_in(self, parts: Iterable[Expression]) -> dict[str, frozenset[AttributePath]]:
        needed: dict[str, set[AttributePath]] = {}
        scope = self.scope()
        for part in parts:
            for reference in references_in(part, scope):
                attribute = reference.attribute(scope)
                if attribute is not None:
                    needed.setdefault(reference.target(scope), set()).add(attribute)
        return {name: frozenset(paths) for name, paths in needed.items()}

    def check_values(self) -> None:
        """Resolve whatever needs no resource. Raises InvalidTemplate with what cannot be."""
        parts = (part for each in in_own_words(self.resources) for part in each.parts())
        for error in self._trials(parts):
            self._problems.take(error)
        self._problems.raise_if_any()

    @time_limit(_SECONDS)
    def failing_outputs(self) -> tuple[Problem, ...]:
        """Return why outputs that need no resource cannot be resolved. They spoil no stack."""
        found: list[Problem] = []
        for output in self.outputs.values():
            try:
                self._check_output(output)
            except ResolveError as error:
                found.append(error.problem)
        found += self._trials(output.value for output in self.outputs.values())
        return tuple(dict.fromkeys(map(self.template.document.placed, found)))

    def _check_output(
        self, output: Output, kind: type[ResourceReference] = ResourceReference
    ) -> None:
        """Raise ResolveError if the output refers so to a resource that is not there."""
        scope = self.scope()
        for expression in walk_active(output.value, scope):
            if isinstance(expression, kind):
                self._checked_target(expression, scope)

    def _trials(self, parts: Iterable[Expression]) -> list[Problem]:
        """Return what fails in the parts, up to a limit on all of them together.

        What lies beyond is found when it is resolved.
        """
        found: list[Problem] = []
        used = 0
        with time_limit(_SECONDS) as allowance:
            for part in parts:
                scope = self.scope()
                failed = list(trial(part, scope))
                used += scope.budget.used
                if allowance.left <= 0 or used > self._units or len(found) > _MOST_FAILURES:
                    break
                found += failed
        return found

    def _resolve(
        self, expression: Expression | None, resources: Mapping[str, ResourceData]
    ) -> Data:
        if expression is None:
            return None
        with time_limit(_SECONDS):
            value = expression.resolve_alone(self.scope(resources))
        return self.with_inherited(value)

    def with_inherited(self, value: _Value) -> _Value:
        """Return a resolved value with what was handed on by the stack around typed as secret."""
        return self._inherited.typed(value) if self._inherited else value

    def _resolved_map(
        self, expression: Expression | None, resources: Mapping[str, ResourceData]
    ) -> dict[str, Data]:
        value = self._resolve(expression, resources)
        if isinstance(value, dict):
            return value
        if value is None or expression is None:
            return {}
        path = expression.path if isinstance(expression, Call) else ()
        raise ResolveError(Problem(f"must give a map, not {kind_of(value)}", path))

    def _decide_conditions(self) -> None:
        word = self.template.dialect.keywords.conditions
        # Those that others name come first, so that a long chain of them does not recurse.
        named = {
            name: conditions_named(expression, self.template.conditions)
            for name, expression in self.template.conditions.items()
        }
        for name in Graph(named).order():
            try:
                self.condition(name)
            except BadCall as fault:
                self._problems.add(fault.message, (word, name), fault.hint)
            except ResolveError as error:
                self._problems.take(error.problem)

    def _holds(self, condition: Expression | None, path: tuple[str | int, ...]) -> bool:
        if condition is None:
            return True
        try:
            scope = self.scope(budget=self._budget)
            return truth(condition.resolve_alone(scope), scope)
        except BadCall as fault:
            self._problems.add(fault.message, path, fault.hint)
        except ResolveError as error:
            self._problems.take(error.problem)
        return False

    def _build_graph(self) -> Graph[str]:
        requires = {
            definition.name: self._requires(definition)
            for definition in in_own_words(self.resources)
        }
        for output in self.outputs.values():
            # An output may refer to what is not there and be null, but not ask for its attributes.
            try:
                self._check_output(output, GetAttr)
            except ResolveError as error:
                self._problems.take(error.problem)
        self._problems.raise_if_any()
        graph = graph_of(names_of(self.resources), requires)
        try:
            graph.order()
        except CycleError as cycle:
            message, hint = cycle_message(cycle)
            first, second = map(str, cycle.path[:2])
            keywords = self.template.dialect.keywords
            path = reference_path(self.resources[first], second, keywords.depends_on)
            circle = " -> ".join(map(str, cycle.path))
            self._problems.add(message, path, hint, cause=Cause.CYCLE, subject=circle)
        return graph

    def _requires(self, definition: ResourceDefinition) -> list[str]:
        # Depending on a disabled resource is no mistake, referring to one is.
        names = [name for name in definition.depends_on if name in self.resources]
        static = definition.static_references
        if static is not None and all(name in self.resources for name in static):
            return [*names, *sorted(static)]
        return [*names, *self._check_references(definition.reference_holders())]

    def _check_references(self, parts: Iterable[Expression]) -> list[str]:
        """Report faults on active branches; return the names referred to."""
        scope = self.scope(budget=self._budget)
        names = []
        for part in parts:
            try:
                for expression in walk_active(part, scope):
                    if isinstance(expression, Faulty):
                        raise ResolveError(expression.problem)
                    if isinstance(expression, ResourceReference):
                        names.append(self._checked_target(expression, scope))
            except ResolveError as error:
                self._problems.take(error.problem)
            except BadCall as fault:
                self._problems.add(fault.message, (), fault.hint)
        return [name for name in dict.fromkeys(names) if name in self.resources]

    def _checked_target(self, reference: ResourceReference, scope: Scope) -> str:
        try:
            name = reference.target(scope)
        except BadCall as fault:
            raise ResolveError(reference.problem(fault)) from None
        if name not in self.resources:
            known = name in self.template.resources
            raise ResolveError(
                Problem(
                    f'{reference.name}: the resource "{name}" is switched off by its condition'
                    if known
                    else f'{reference.name}: there is no resource "{name}"',
                    reference.path,
                    "guard the reference with the same condition, by means of if"
                    if known
                    else did_you_mean(name, self.resources),
                    cause=Cause.OTHER if known else Cause.REFERENCE,
                    subject=name,
                )
            )
        return name

    def _deletion_policies(self) -> dict[str, DeletionPolicy]:
        """Return those that are written."""
        known = {**POLICIES}
        if self.template.dialect.lower_case_policies:
            known.update(LOWER_CASE_POLICIES)
        policies: dict[str, DeletionPolicy] = {}
        if all(each.deletion_policy is None for each in in_own_words(self.resources)):
            return policies
        for name, words in with_words(self.resources):
            if words.deletion_policy is None:
                continue
            path = (*words.path[:-1], name, self.template.dialect.keywords.deletion_policy)
            try:
                value = words.deletion_policy.resolve_alone(self.scope(budget=self._budget))
            except ResolveError as error:
                self._problems.take(error.problem)
                continue
            if isinstance(value, str) and value in known:
                policies[name] = known[value]
            elif value is not None:
                self._problems.add(
                    f"there is no deletion policy {value!r}",
                    path,
                    f"use one of {', '.join(known)}",
                )
        return policies


def _without(
    resources: Mapping[str, ResourceDefinition], names: Sequence[str]
) -> Mapping[str, ResourceDefinition]:
    if not names:
        return resources
    if isinstance(resources, PackedResources | AlikeResources):
        return resources.without(names)
    gone = frozenset(names)
    return MappingProxyType({name: each for name, each in resources.items() if name not in gone})
