"""Several environments become one: later files win, and every value remembers its places."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hotplate.document import Document, InvalidDocument, Path, Problem
from hotplate.environment import names
from hotplate.environment.environment_file import EnvironmentFile
from hotplate.environment.names import Strategy
from hotplate.environment.origin import Given
from hotplate.environment.strategies import MergeError, inferred_type, merged
from hotplate.environment.traced import Traced, overriding, traced, updated
from hotplate.environment.wording import kind_of
from hotplate.template.parameter_type import ParameterType

MOST_FILES = 500
"""Files in one merge. The same file may be listed many times, so the request does not bound it."""

MOST_TEXT = 32 * 1024 * 1024
"""Characters of all files together, each counted as often as it is listed."""

MOST_COPIED_TEXT = 1024 * 1024
MOST_COPIED_VALUES = 100_000
"""What files that are listed more than once, and aliases, may add to what was written."""

_PARAMETER_SECTIONS = (names.PARAMETERS, names.PARAMETER_DEFAULTS)


def merged_sections(
    environments: Sequence[EnvironmentFile],
    parameters: Document | None,
    types: Mapping[str, ParameterType],
) -> dict[str, Traced]:
    """Return the sections of all environments in order, then the explicit parameters.

    Without a stated strategy the result is that of python-heatclient. Explicit parameters replace
    as a whole. Sections in no file are absent, strategies are used up. Raises InvalidDocument.
    """
    _check_size(environments)
    merging = _Merging(types, environments)
    for environment in environments:
        merging.take(environment)
    if parameters is not None:
        merging.take_explicit(parameters)
    if merging.problems:
        raise InvalidDocument(merging.problems)
    return merging.sections


def client_merged(environments: Iterable[EnvironmentFile]) -> dict[str, Any]:
    """Return what python-heatclient sends inline for these files: strategies are just a section."""
    root: Traced | None = None
    for environment in environments:
        root = updated(root, traced(environment.document, (), dict(environment.sections)))
    data = {} if root is None else root.data()
    return data if isinstance(data, dict) else {}


def _check_size(environments: Sequence[EnvironmentFile]) -> None:
    hint = "combine some of them"
    if len(environments) > MOST_FILES:
        raise InvalidDocument([Problem(f"more than {MOST_FILES} environment files", (), hint)])
    if sum(len(e.document.text or "") for e in environments) > MOST_TEXT:
        message = f"the environment files together are larger than {MOST_TEXT} characters"
        raise InvalidDocument([Problem(message)])
    _check_copies(environments)


def _check_copies(environments: Sequence[EnvironmentFile]) -> None:
    """Refuse much work that little text asks for: files listed again, and YAML aliases."""
    values: dict[int, int] = {}
    copied_text = copied_values = 0
    for environment in environments:
        document = environment.document
        length = len(document.text or "")
        if id(document) in values:
            copied_text += length
            copied_values += values[id(document)]
        else:
            values[id(document)] = count = _count_values(environment.sections)
            copied_values += max(0, count - length) if document.text is not None else 0
    if copied_text > MOST_COPIED_TEXT or copied_values > MOST_COPIED_VALUES:
        message = "files that are listed again, and aliases in them, add too much"
        raise InvalidDocument([Problem(message, (), "list each file once")])


def _count_values(data: Mapping[str, Any]) -> int:
    count = 0
    waiting: list[Any] = [data]
    while waiting:
        current = waiting.pop()
        count += 1
        if isinstance(current, Mapping):
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
    return count


@dataclass(slots=True)
class _Merging:
    """One merge under way."""

    types: Mapping[str, ParameterType]
    environments: Sequence[EnvironmentFile]
    sections: dict[str, Traced] = field(default_factory=dict)
    fixed: dict[str, tuple[Strategy, Given]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    inferred: dict[tuple[str, str], ParameterType] = field(default_factory=dict)

    def take(self, environment: EnvironmentFile) -> None:
        for section, value in environment.sections.items():
            if section == names.MERGE_STRATEGIES:
                continue
            new = traced(environment.document, (section,), value)
            old = self.sections.get(section)
            if section in _PARAMETER_SECTIONS and self._any_strategy(environment):
                self.sections[section] = self._with_strategies(environment, section, old, new)
            else:
                self.sections[section] = updated(old, new, section == names.REGISTRY)

    def take_explicit(self, document: Document) -> None:
        if document.data is None:
            return
        if not isinstance(document.data, dict):
            message = f"parameters must be a map, not {kind_of(document.data)}"
            self.problems.append(document.placed(Problem(message)))
            return
        new = traced(document, (), document.data)
        old = self.sections.get(names.PARAMETERS)
        parts = {} if old is None else old.expanded()
        for name, value in new.expanded().items():
            parts[name] = overriding(value, parts.get(name))
        given = new.given if old is None else new.given.before(old.given)
        self.sections[names.PARAMETERS] = Traced(given, {}, parts)

    def _any_strategy(self, environment: EnvironmentFile) -> bool:
        return bool(self.fixed) or bool(environment.sections.get(names.MERGE_STRATEGIES))

    def _with_strategies(
        self, environment: EnvironmentFile, section: str, old: Traced | None, new: Traced
    ) -> Traced:
        parts = {} if old is None else old.expanded()
        for key, item in new.expanded().items():
            name = str(key)
            was = parts.get(name)
            strategy = None if item.is_null else self._strategy(environment, name)
            if strategy is None and not (item.is_null and self._is_stated(environment, name)):
                parts[name] = updated(was, item)
            elif strategy is not None:
                try:
                    parts[name] = merged(was, item, strategy, self._type(section, name))
                except MergeError as error:
                    problem = Problem(str(error), (section, name), error.hint)
                    self.problems.append(environment.document.placed(problem))
        given = new.given if old is None else new.given.before(old.given)
        return Traced(given, {}, parts)

    def _is_stated(self, environment: EnvironmentFile, name: str) -> bool:
        stated = environment.stated_strategy(name) or environment.default_strategy
        return stated is not None or name in self.fixed

    def _strategy(self, environment: EnvironmentFile, name: str) -> Strategy | None:
        """Return the strategy for a value that this file gives, and fix it for later files."""
        stated = environment.stated_strategy(name)
        if name in self.fixed:
            strategy, given = self.fixed[name]
            if stated is not None and stated is not strategy:
                self._report_conflict(environment, name, stated, given, strategy)
            return strategy
        strategy_now = stated or environment.default_strategy
        if strategy_now is not None:
            path: Path = (names.MERGE_STRATEGIES, name if stated else "default")
            document = environment.document
            self.fixed[name] = (strategy_now, Given(document.name, path, document))
        return strategy_now

    def _report_conflict(
        self,
        environment: EnvironmentFile,
        name: str,
        stated: Strategy,
        given: Given,
        strategy: Strategy,
    ) -> None:
        message = (
            f'the strategy "{stated.value}" contradicts "{strategy.value}", '
            f"which {given} states for the same parameter"
        )
        problem = Problem(message, (names.MERGE_STRATEGIES, name), "state the same in both files")
        placed = environment.document.placed(problem)
        if placed not in self.problems:
            self.problems.append(placed)

    def _type(self, section: str, name: str) -> ParameterType:
        declared = self.types.get(name)
        if declared is not None:
            return declared
        if (section, name) not in self.inferred:
            self.inferred[section, name] = inferred_type(
                environment.sections[section][name]
                for environment in self.environments
                if name in environment.sections.get(section, {})
            )
        return self.inferred[section, name]
