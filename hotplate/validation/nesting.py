"""The templates nested in a template: all compiled, none too deep, and none in itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hotplate.document import Document, InvalidDocument, Path, Problem, did_you_mean, parse
from hotplate.environment import Environment, Resolution
from hotplate.model.limits import DEEPEST_NESTING
from hotplate.template import ResourceDefinition, Template, compile_template
from hotplate.template.alike import with_words
from hotplate.validation.report import Report

Compile = Callable[[str, str], Template]
"""A text and its name to a template. Raises InvalidDocument."""


def compile_text(text: str, name: str) -> Template:
    """Return the template of a text. Raises InvalidDocument."""
    return compile_template(parse(text, name))


@dataclass(frozen=True, slots=True)
class _Place:
    """A template on the way from the outermost one; ``chain`` has the names of all up to it.

    ``is_certain``: no condition decides whether there will be a stack of it.
    """

    template: Template
    environment: Environment
    chain: tuple[str, ...]
    is_certain: bool = True


class NestedTemplates:
    """Follows resource types that are templates, each file once."""

    def __init__(
        self,
        files: Mapping[str, str],
        report: Report,
        deepest_nesting: int = DEEPEST_NESTING,
        compiled: Compile = compile_text,
    ) -> None:
        self._files = files
        self._report = report
        self._deepest_nesting = deepest_nesting
        self._compiled = compiled
        self._seen: set[str] = set()

    def check(self, root: Template, environment: Environment) -> None:
        """Report faulty and missing templates, and those too deep or in themselves. Use once."""
        waiting = [_Place(root, environment, (root.name,))]
        while waiting:
            place = waiting.pop()
            names_resource = place.environment.registry.names_resource
            plain: set[str] = set()
            for name, words in with_words(place.template.resources):
                is_named = names_resource(name)
                if words.type in plain and not is_named:
                    continue
                definition = place.template.resources[name]
                resolution = self._resolution(place.environment, definition)
                if resolution is None or resolution.template is None:
                    if resolution is not None and not is_named:
                        plain.add(definition.type)
                    continue
                nested = self._nested(place, definition, resolution, resolution.template)
                if nested is not None:
                    waiting.append(nested)

    def _nested(
        self, place: _Place, definition: ResourceDefinition, resolution: Resolution, file: str
    ) -> _Place | None:
        """Return the template that a resource is made from, if it has to be followed."""
        template = place.template
        path = (*definition.path, template.dialect.keywords.type)
        if file in place.chain:
            if definition.condition is None:
                way = place.chain[place.chain.index(file) :]
                self._report_at(template.document, contains_itself(path, (*way, file)))
            return None
        if file in self._seen:
            return None
        self._seen.add(file)
        nested = self._compile(template.document, path, resolution)
        if nested is None:
            return None
        is_certain = place.is_certain and definition.condition is None
        if len(place.chain) > self._deepest_nesting:
            if is_certain:
                text = f"nested deeper than {self._deepest_nesting} templates"
                self._report_at(template.document, Problem(text, path))
            return None
        environment = place.environment.child(definition.name, definition.type)
        return _Place(nested, environment, (*place.chain, file), is_certain)

    def _resolution(
        self, environment: Environment, definition: ResourceDefinition
    ) -> Resolution | None:
        try:
            return environment.registry.lookup(definition.type, definition.name)
        except InvalidDocument as fault:
            self._report.errors.extend(fault.problems)
            return None

    def _compile(self, referrer: Document, path: Path, resolution: Resolution) -> Template | None:
        file = resolution.template or ""
        if file not in self._files:
            problem = not_given(path, file, self._files)
            if resolution.chain:
                # An environment chose the file: that is the place to mend.
                origin = resolution.chain[-1].origin
                problem = replace(
                    problem, path=origin.path, position=origin.position, file=origin.file
                )
            self._report_at(referrer, problem)
            return None
        try:
            template = self._compiled(self._files[file], file)
        except InvalidDocument as fault:
            self._report.errors.extend(fault.problems)
            return None
        self._report.warnings.extend(template.warnings)
        return template

    def _report_at(self, document: Document, problem: Problem) -> None:
        self._report.errors.append(document.placed(problem))


def not_given(path: Path, name: str, files: Mapping[str, str]) -> Problem:
    """Return that a template is not among the files; ``path`` is where it is named."""
    hint = did_you_mean(name, files) or "send it in the request's files"
    return Problem(f'the template "{name}" was not given', path, hint)


def contains_itself(path: Path, names: Sequence[str]) -> Problem:
    """Return that a template is nested in itself, by the names of those between."""
    return Problem(
        f"a template cannot contain itself{': ' if names else ''}{' -> '.join(names)}",
        path,
        "use another type here, or a condition that ends it",
    )
