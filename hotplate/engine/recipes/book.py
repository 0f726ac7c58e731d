"""Recipes: all that makes a stack, stored once, compiled once, bound once for each stack."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from hotplate.bounded import Evaluation, at_hand, must_be_light
from hotplate.document import InvalidDocument, Problem, from_data, parse
from hotplate.environment import (
    EXPLICIT,
    Environment,
    Registry,
    Resolution,
)
from hotplate.environment import merge as merge_environments
from hotplate.environment import parse as parse_environment
from hotplate.environment.inline_cache import InlineEnvironments
from hotplate.environment.recipe import RARE, Recipe
from hotplate.model import Stack
from hotplate.model.fingerprints import Fingerprints
from hotplate.model.unchanged import Unchanged
from hotplate.secret import Secrets, note_secrets
from hotplate.store.recipes import read_contents, read_recipe
from hotplate.template import (
    AttributePath,
    BoundTemplate,
    Facade,
    ParameterValues,
    ResolveError,
    Template,
    TemplateCache,
    parameter_values,
)
from hotplate.template.alike import AlikeResources, in_own_words, names_of, with_words
from hotplate.template.expression import walk_active
from hotplate.template.functions.references import ResourceReference

if TYPE_CHECKING:
    # Whoever only reads what is stored needs no types.
    from hotplate.resources.catalogue import Catalogue

_PARSED_PER_RESOURCE = 128
_TEXT_PER_RESOURCE = 4096
"""Characters of environments, and of texts, that take as much memory as a resource."""


@dataclass(frozen=True, slots=True)
class StackFacts:
    """What a template can know of the stack that it makes."""

    id: str
    name: str
    project: str


@dataclass(slots=True)
class Bound:
    """A recipe for one stack: the template with values, and the environment in effect."""

    digest: str
    recipe: Recipe
    template: BoundTemplate
    environment: Environment
    needed: Mapping[str, frozenset[AttributePath]]
    """For each resource the attributes that others ask for."""

    values: ParameterValues

    definitions: dict[str, Any] = field(default_factory=dict, repr=False)
    """Definitions that depend on no other resource, kept by whoever resolved them."""

    shared: dict[str, Any] = field(default_factory=dict, repr=False)
    """Some of them by the resource that others are written like and differ from in nothing."""

    fingerprints: Fingerprints = field(default_factory=Fingerprints, repr=False)
    """Those of such definitions, of a large template: a version that has it is as is wanted."""

    unchanged: Unchanged | None = field(default=None, repr=False)
    """What was wanted of a large stack just before."""

    is_small: bool = True
    """Whether definitions are kept: of a large template only their fingerprints are."""

    is_validated: bool = False
    """Whether it has been found that a stack can be made of it."""

    secrets: Secrets | None = field(default=None, repr=False)
    """All secrets that its texts and values may repeat; None until somebody has looked."""

    hidden: frozenset[str] | None = field(default=None, repr=False)
    """Parameters that it declares hidden, files included; None if nobody has looked."""

    acts_later: bool = False
    """Whether something in it calls a cloud when nobody asks; known once it is validated."""

    size: int = 0
    """How many resources there are with all that are nested; known once it is validated."""

    remote: tuple[str, ...] | None = field(default=None, repr=False)
    """Resources that other servers may make, which are asked first; None if nobody has looked."""

    asked: frozenset[tuple[str, str]] | None = field(default=None, repr=False)
    """Custom constraints and values that only a cloud can check; None if nobody has looked."""

    weight: int = field(init=False, repr=False)
    """How much it costs to keep: it grows with the resources, the environments and the files."""

    def __post_init__(self) -> None:
        recipe = self.recipe
        parsed = len(recipe.environment) + sum(
            len(recipe.files.get(name, "")) for name in recipe.environment_files
        )
        texts = len(recipe.template) + sum(map(len, recipe.files.values()))
        self.weight = (
            4
            + len(self.template.resources)
            + parsed // _PARSED_PER_RESOURCE
            + texts // _TEXT_PER_RESOURCE
        )

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        # What was wanted before is not sent: whoever keeps this finds it out from what is kept.
        return None, {each.name: getattr(self, each.name) for each in fields(self)} | {
            "unchanged": None
        }

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        for name, value in state[1].items():
            setattr(self, name, value)
        self.share_fingerprints()

    def share_fingerprints(self) -> None:
        """Let resources that are written alike have one fingerprint, if they differ in nothing."""
        resources = self.template.resources
        is_named = self.environment.registry.names_resources
        if isinstance(resources, AlikeResources) and not (
            self.recipe.kept or self.needed or is_named
        ):
            self.fingerprints.share(resources.words)

    def resolution(self, name: str) -> Resolution:
        """Return what the registry makes of a resource's type: a type or a template."""
        return self.environment.registry.lookup(self.template.resources[name].type, name)

    _external_ids: dict[str, str] | None = field(default=None, repr=False)

    def external_ids(self) -> dict[str, str]:
        """Return the objects that resources shall be, as far as no other resource decides that."""
        if self._external_ids is None:
            self._external_ids = self._found_external_ids()
        return self._external_ids

    def _found_external_ids(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for definition in in_own_words(self.template.resources):
            if definition.external_id is not None:
                with suppress(ResolveError):
                    found[definition.name] = self.external_id(definition.name) or ""
        return {name: object_id for name, object_id in found.items() if object_id}

    def external_id(self, name: str) -> str | None:
        """Return the object that a resource shall be, None if it is managed.

        Empty if other resources decide that. Raises ResolveError.
        """
        expression = self.template.resources[name].external_id
        if expression is None:
            return None
        scope = self.template.scope()
        if any(isinstance(each, ResourceReference) for each in walk_active(expression, scope)):
            return ""
        return self.template.external_id(name)


def fetch(connection: Connection, project: str, digest: str) -> Recipe:
    """Return a stored recipe of a project."""
    body = read_recipe(connection, project, digest)
    wanted = {body["template"], body["environment"], body["files"]}
    texts = read_contents(connection, project, wanted)
    names = json.loads(texts[body["files"]])
    texts |= read_contents(connection, project, set(names.values()))
    return Recipe(
        texts[body["template"]],
        {name: texts[key] for name, key in names.items()},
        tuple(body["environment_files"]),
        texts[body["environment"]],
        body["parameters"],
        **{name: body[name] for name in RARE if name in body},
        secrets=tuple(body.get("secrets", ())),
    )


_PER_STACK = 2
"""Recipes that are kept of a stack: what it is made of, and what it was or is about to be."""

_SMALL = 500
"""Resources of a stack whose definitions are kept; of more, an update needs few of them."""

_REMEMBERED = 1024
"""Stacks that are known to be deleted: a late reader of one may still bind its recipe."""


class RecipeBook:
    """Bound recipes of the stacks that were used lately. Safe to use from several threads.

    ``catalogue`` has the types that say which dependencies are implicit. ``most`` is how heavy all
    that is kept may be together. What stacks were made of long ago, and what deleted ones were made
    of, is not kept however light it is.
    """

    def __init__(self, catalogue: "Catalogue", most: int = 20_000) -> None:
        self._catalogue = catalogue
        self.templates = TemplateCache()
        self._environments = InlineEnvironments()
        self._most = most
        self.weight = 0
        """How heavy all that is kept is together."""

        self.small = _SMALL
        self._heavy: str | None = None
        self._is_heavy_used = False
        self._bound: OrderedDict[str, OrderedDict[str, Bound]] = OrderedDict()
        self._gone: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()

    def known(self, stack_id: str, digest: str) -> Bound | None:
        """Return what is already bound for a stack, None if it must be fetched."""
        with self._lock:
            of_stack = self._bound.get(stack_id)
            found = None if of_stack is None else of_stack.get(digest)
            if of_stack is not None and found is not None:
                self._bound.move_to_end(stack_id)
                of_stack.move_to_end(digest)
                self._is_heavy_used |= stack_id == self._heavy
        if found is not None:
            note_secrets(found.values.secrets)
        return found

    def forget(self, stack_id: str) -> None:
        """Keep nothing of a deleted stack, even if it is bound once more by a late reader."""
        with self._lock:
            self._gone[stack_id] = None
            if len(self._gone) > _REMEMBERED:
                self._gone.popitem(last=False)
            self._let_go(stack_id)

    def let_go(self) -> None:
        """Forget what is seldom needed again, of a process that has nothing to do.

        That is what large stacks wanted before, and a heavy one that nobody has asked for since
        this was called last.
        """
        self.templates.let_go()
        with self._lock:
            for of_stack in self._bound.values():
                for bound in of_stack.values():
                    bound.unchanged = None
            if not self._is_heavy_used:
                self._let_go(self._heavy)
                self._heavy = None
            self._is_heavy_used = False

    def compiled(self, text: str, name: str = "template") -> Template:
        """Return the template of a text, compiled once. Raises InvalidDocument."""
        return self.templates.compile(text, name)

    def template_of(self, recipe: Recipe) -> Template:
        """Return the template of a recipe, compiled once. Raises InvalidDocument."""
        compiled = self.templates.stored if recipe.is_repeated else self.templates.compile
        return compiled(recipe.template, recipe.root_name)

    def bound(self, connection: Connection, stack: Stack, digest: str) -> Bound:
        """Return a stored recipe, bound to the stack."""
        known = self.known(stack.id, digest)
        if known is not None:
            return known
        whose = StackFacts(stack.id, stack.name, stack.project)
        bound = self.bound_recipe(whose, fetch(connection, stack.project, digest), digest)
        if stack.deleted_at is None:
            self.keep(stack.id, bound)
        return bound

    def bound_recipe(self, stack: StackFacts, recipe: Recipe, digest: str) -> Bound:
        """Bind a recipe to a stack; where only light work may be done, perhaps elsewhere.

        Raises InvalidDocument, and Heavy where it must be done elsewhere first.
        """
        evaluation = Evaluation(stack.project, bind_with_graph, (stack, recipe, digest))
        return at_hand(evaluation, lambda: self.bind(stack, recipe, digest))

    def bind(self, stack: StackFacts, recipe: Recipe, digest: str) -> Bound:
        """Bind a recipe to a stack. Raises InvalidDocument with all that is wrong."""
        name, project = stack.name, stack.project
        template = self.template_of(recipe)
        environment = self.environment(recipe, template)
        inherited = Secrets(recipe.secrets)
        values = parameter_values(
            template,
            environment.parameters,
            environment.parameter_defaults,
            pseudo={
                "OS::stack_id": stack.id,
                "OS::stack_name": name,
                "OS::project_id": project,
                "AWS::StackId": f"arn:openstack:heat::{project}:stacks/{name}/{stack.id}",
                "AWS::StackName": name,
                "AWS::Region": "ap-southeast-1",
            },
            locate=environment.position,
        ).inheriting(inherited)
        note_secrets(values.secrets)
        facade = Facade(**inherited.typed(dict(recipe.facade))) if recipe.facade else None
        implicit = partial(self._implicit, environment.registry)
        bound_template = BoundTemplate(template, values, recipe.files, facade, implicit, inherited)
        needed = _with_asked(bound_template, recipe)
        is_small = len(bound_template.resources) <= self.small
        return Bound(digest, recipe, bound_template, environment, needed, values, is_small=is_small)

    def _implicit(self, registry: Registry, template: BoundTemplate) -> dict[str, list[str]]:
        from hotplate.plan.implicit_dependencies import (  # noqa: PLC0415 (needs the resource types)
            implicit_dependencies,
            may_be_implicit,
        )

        if not registry.names_resources:
            kinds = {each.type: each.name for each in in_own_words(template.resources)}
            found = {registry.type_of(kind, name) for kind, name in kinds.items()}
            if not may_be_implicit(self._catalogue, found):
                return {}
        types = {
            name: registry.type_of(words.type, name)
            for name, words in with_words(template.resources)
        }
        return implicit_dependencies(self._catalogue, types, template)

    def keep(self, stack_id: str, bound: Bound) -> None:
        """Keep what a stack is made of, wherever it was bound."""
        digest = bound.digest
        with self._lock:
            if stack_id in self._gone:
                return
            of_stack = self._bound.setdefault(stack_id, OrderedDict())
            if (old := of_stack.pop(digest, None)) is not None:
                self.weight -= old.weight
            if of_stack and bound.fingerprints:
                last = next(reversed(of_stack.values()))
                names = names_of(last.template.resources)
                bound.unchanged = Unchanged(
                    last.digest, last.fingerprints, bound.fingerprints, names
                )
            of_stack[digest] = bound
            self.weight += bound.weight
            # What a large stack was made of is the first to go: it is seldom asked for again.
            while len(of_stack) > _PER_STACK or (len(of_stack) > 1 and self.weight > self._most):
                self.weight -= of_stack.popitem(last=False)[1].weight
            self._bound.move_to_end(stack_id)
            if bound.weight > self._most and self._heavy != stack_id:
                self._let_go(self._heavy)
                self._heavy = stack_id
            self._is_heavy_used |= stack_id == self._heavy
            # One may be heavy, beside all that is light: each use of that would drive it out.
            while self.weight - self._weight(self._heavy) > self._most:
                oldest = next((each for each in self._bound if each != self._heavy), stack_id)
                if oldest == stack_id:
                    break
                self._let_go(oldest)

    def _weight(self, stack_id: str | None) -> int:
        return sum(each.weight for each in self._bound.get(stack_id or "", {}).values())

    def _let_go(self, stack_id: str | None) -> None:
        self.weight -= self._weight(stack_id)
        self._bound.pop(stack_id or "", None)

    def environment(self, recipe: Recipe, template: Template) -> Environment:
        """Return the environment that a recipe's files, inline part and parameters make."""
        files = []
        for name in recipe.environment_files:
            if name not in recipe.files:
                words = f'the environment file "{name}" was not given'
                raise InvalidDocument([Problem(words, file=name, hint="send it in the files")])
            must_be_light(len(recipe.files[name]))
            file = parse_environment(parse(recipe.files[name], name))
            files.append(file.without_parameters(recipe.dropped.get(name, ())))
        inline = []
        if recipe.environment:
            inline.append(self._environments.inline(recipe.environment))
        explicit = from_data(dict(recipe.parameters), EXPLICIT) if recipe.parameters else None
        types = {name: parameter.type for name, parameter in template.parameters.items()}
        return merge_environments(files, inline, explicit, types)


def bind_with_graph(tools: Any, stack: StackFacts, recipe: Recipe, digest: str) -> Bound:
    """Bind a recipe to a stack, its graph included. Raises InvalidDocument."""
    bound: Bound = tools.book.bind(stack, recipe, digest)
    bound.template.graph  # noqa: B018 (found once, here)
    bound.external_ids()
    return bound


def _with_asked(template: BoundTemplate, recipe: Recipe) -> dict[str, frozenset[AttributePath]]:
    """Return for each resource the attributes that others ask for, also in the parent."""
    needed = template.needed_attributes()
    for name in template.resources if recipe.asked else ():
        paths = [*recipe.asked.get(name, ()), *recipe.asked.get("*", ())]
        if paths:
            needed[name] = needed.get(name, frozenset()) | {tuple(path) for path in paths}
    return needed
