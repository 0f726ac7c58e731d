"""The templates inside a template: all compiled, and none inside itself."""

from collections.abc import Mapping
from dataclasses import replace

from hotplate.document import Document, InvalidDocument, Problem, did_you_mean, parse
from hotplate.environment import Environment, Resolution
from hotplate.template import Template, compile_template
from hotplate.validation.report import Report

DEEPEST = 20
"""Templates inside templates. Heat allows 5 unless told otherwise."""


class NestedTemplates:
    """Follows resource types that are templates, each file once."""

    def __init__(self, files: Mapping[str, str], report: Report) -> None:
        self._files = files
        self._report = report

    def check(self, root: Template, environment: Environment) -> None:
        """Report faulty nested templates, missing files, and templates that contain themselves."""
        waiting: list[tuple[Template, Environment, tuple[str, ...]]] = [
            (root, environment, (root.name,))
        ]
        seen: set[str] = set()
        while waiting:
            template, current, chain = waiting.pop()
            for definition in template.resources.values():
                resolution = self._lookup(current, definition.name, definition.type)
                if resolution is None or resolution.template is None:
                    continue
                file = resolution.template
                path = (*definition.path, template.dialect.words.type)
                if file in chain:
                    if definition.condition is None:
                        self._report_recursion(template, path, (*chain, file))
                    continue
                if file in seen:
                    continue
                seen.add(file)
                nested = self._compile(template.document, path, resolution)
                if nested is None:
                    continue
                if len(chain) > DEEPEST:
                    self._report_at(
                        template.document, f"nested deeper than {DEEPEST} templates", path
                    )
                    continue
                inner = current.child(definition.name, definition.type)
                waiting.append((nested, inner, (*chain, file)))

    def _lookup(self, environment: Environment, name: str, kind: str) -> Resolution | None:
        try:
            return environment.registry.lookup(kind, name)
        except InvalidDocument as fault:
            self._report.errors.extend(fault.problems)
            return None

    def _compile(
        self, referrer: Document, path: tuple[str | int, ...], resolution: Resolution
    ) -> Template | None:
        file = resolution.template or ""
        if file not in self._files:
            hint = did_you_mean(file, self._files) or "send it in the request's files"
            problem = Problem(f'the template "{file}" was not given', path, hint)
            if resolution.chain:
                # An environment chose the file: that is the place to mend.
                origin = resolution.chain[-1].origin
                problem = replace(
                    problem, path=origin.path, position=origin.position, file=origin.file
                )
            self._report.errors.append(referrer.placed(problem))
            return None
        try:
            template = compile_template(parse(self._files[file], file))
        except InvalidDocument as fault:
            self._report.errors.extend(fault.problems)
            return None
        self._report.warnings.extend(template.warnings)
        return template

    def _report_recursion(
        self, template: Template, path: tuple[str | int, ...], chain: tuple[str, ...]
    ) -> None:
        inside = chain[chain.index(chain[-1]) :]
        self._report_at(
            template.document,
            f"a template cannot contain itself: {' -> '.join(inside)}",
            path,
            "use another type here, or a condition that ends it",
        )

    def _report_at(
        self, document: Document, message: str, path: tuple[str | int, ...], hint: str = ""
    ) -> None:
        self._report.errors.append(document.placed(Problem(message, path, hint)))
