"""A change to a recipe that says only what differs."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hotplate.document import InvalidDocument, Problem, did_you_mean, parse
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook
from hotplate.environment import (
    INLINE,
    EnvironmentFile,
    ListedFile,
    listed_files,
    merge,
    same_files,
)
from hotplate.environment import parse as parse_environment
from hotplate.environment.names import MERGE_STRATEGIES, PARAMETER_DEFAULTS, PARAMETERS


@dataclass(frozen=True, slots=True)
class Patch:
    """What a user sends of a recipe; the rest stays as it is.

    ``environment_files`` are appended to those the stack has; one that it has already keeps its
    place, and the content sent with it counts. ``environment_names`` are what the client calls
    them. ``cleared`` parameters fall back to what the environment files say or, if only those give
    them a value, to `parameter_defaults` and the template. ``cleared_files`` are taken off the list
    first.
    """

    template: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    environment_files: tuple[str, ...] = ()
    environment: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cleared: tuple[str, ...] = ()
    environment_names: Mapping[str, str] = field(default_factory=dict)
    cleared_files: tuple[str, ...] = ()
    template_name: str = ""


def patched(old: Recipe, patch: Patch, book: RecipeBook) -> Recipe:
    """Return the recipe with the patch applied. Raises InvalidDocument.

    Values that the stack has for parameters which a new template does not declare are dropped;
    those that the patch brings are not, so that a slip is noticed.
    """
    recipe = _with_files(_without_files(old, patch.cleared_files), patch)
    recipe = _without_parameters(recipe, patch, book)
    return replace(
        recipe,
        environment=_joined(recipe.environment, patch.environment),
        parameters={**recipe.parameters, **patch.parameters},
        adopted={},
    )


def _without_files(old: Recipe, cleared: Iterable[str]) -> Recipe:
    """Take environments off the list, by their names or addresses."""
    listed = old.listed
    removed: set[str] = set()
    for name in cleared:
        named = [each.file for each in listed.values() if each.name == name]
        found = [name] if name in listed else named or list(_sought(name, listed))
        if not found:
            raise InvalidDocument([_not_listed(name, listed)])
        removed.update(found)
    if not removed:
        return old
    kept = tuple(file for file in old.environment_files if file not in removed)
    return _forgotten(replace(old, environment_files=kept), removed)


def _sought(name: str, listed: Mapping[str, ListedFile]) -> Iterable[str]:
    return same_files(listed_files([name], {}), listed).values()


def _with_files(old: Recipe, patch: Patch) -> Recipe:
    """Lay files over those that are there. An environment from elsewhere takes its old place."""
    listed = old.listed
    sent = listed_files(patch.environment_files, patch.environment_names)
    same = same_files(sent, listed)
    for name in patch.environment_files:
        if name not in patch.files and name not in old.files and name not in same:
            message = f'the environment file "{name}" was not given'
            raise InvalidDocument([Problem(message, hint="send it in the files", file=name)])
    # Without a list, content may be sent under the name by which an environment is known.
    known = {each.name: each.file for each in listed.values()}
    same |= {
        name: known[name]
        for name in patch.files
        if name in known and name not in old.files and name not in sent
    }
    moved = {was: now for now, was in same.items() if now != was and now in patch.files}
    stated = {moved.get(file, file): name for file, name in old.environment_names.items()}
    for file, name in patch.environment_names.items():
        was = same.get(file, file)
        stated[moved.get(was, was)] = name
    _refuse_twins(stated)
    added = [name for name in patch.environment_files if name not in same]
    recipe = replace(
        old,
        template=old.template if patch.template is None else patch.template,
        is_repeated=old.is_repeated and patch.template is None,
        template_name=old.template_name if patch.template is None else patch.template_name,
        files={**old.files, **patch.files},
        environment_files=(*(moved.get(file, file) for file in old.environment_files), *added),
        environment_names=stated,
        dropped={file: names for file, names in old.dropped.items() if file not in patch.files},
    )
    return _forgotten(recipe, moved)


def _refuse_twins(stated: Mapping[str, str]) -> None:
    holders: dict[str, str] = {}
    for file, name in stated.items():
        if holders.setdefault(name, file) != file:
            message = f'"{holders[name]}" and "{file}" cannot both be called "{name}"'
            raise InvalidDocument([Problem(message, ("environment_file_names",))])


def _forgotten(recipe: Recipe, removed: Collection[str]) -> Recipe:
    """Drop what is known of files that are not listed any more, unless another text names them."""
    listed = set(recipe.environment_files)
    unused = {file for file in removed if file not in listed}
    others = [body for name, body in recipe.files.items() if name not in unused]
    texts = [recipe.template, recipe.environment, *others]
    unused = {file for file in unused if not any(file in text for text in texts)}
    return replace(
        recipe,
        files={name: body for name, body in recipe.files.items() if name not in unused},
        environment_names={f: n for f, n in recipe.environment_names.items() if f in listed},
        dropped={f: names for f, names in recipe.dropped.items() if f in listed},
    )


def _without_parameters(recipe: Recipe, patch: Patch, book: RecipeBook) -> Recipe:
    """Drop the values that are cleared, and those that a new template does not declare.

    What is cleared loses its explicit and inline value, so that the files count; what has none
    loses that of the files. What the stack has is meant; what the patch brings counts in any case.
    """
    if patch.template is None and not patch.cleared:
        return recipe
    declared = (
        None
        if patch.template is None
        else book.compiled(patch.template, patch.template_name or "template").parameters
    )
    kept = _kept_environments(recipe, patch)
    given = {name for file in kept.values() for name in file.sections.get(PARAMETERS, {})}
    unknown: set[str] = set()
    if declared is not None:
        unknown.update(name for name in (*recipe.parameters, *given) if name not in declared)
    _refuse_what_stays(patch.cleared, recipe, kept)
    inline = kept[INLINE].sections.get(PARAMETERS, {}) if INLINE in kept else {}
    above = {*recipe.parameters, *inline}
    unwanted = {*unknown, *patch.cleared}
    of_files = unknown.union(name for name in patch.cleared if name not in above)
    dropped = {file: list(names) for file, names in recipe.dropped.items()}
    environment = recipe.environment
    for file, content in kept.items():
        going = unwanted if file == INLINE else of_files
        names = [name for name in content.sections.get(PARAMETERS, {}) if name in going]
        if names and file == INLINE:
            environment = json.dumps(dict(content.without_parameters(names).sections))
        elif names:
            dropped[file] = sorted({*dropped.get(file, ()), *names})
    return replace(
        recipe,
        environment=environment,
        parameters={name: v for name, v in recipe.parameters.items() if name not in unwanted},
        dropped=dropped,
    )


def _kept_environments(recipe: Recipe, patch: Patch) -> dict[str, EnvironmentFile]:
    """Return the environments of the stack that the patch does not bring anew, by name."""
    texts = {
        file: recipe.files[file] for file in recipe.environment_files if file not in patch.files
    }
    if recipe.environment:
        texts[INLINE] = recipe.environment
    return {
        file: parse_environment(parse(text, file)).without_parameters(recipe.dropped.get(file, ()))
        for file, text in texts.items()
    }


def _refuse_what_stays(
    cleared: Iterable[str], recipe: Recipe, kept: Mapping[str, EnvironmentFile]
) -> None:
    """Refuse to clear a value that is only a default for all templates: it would stay."""
    names = {each.file: each.name for each in recipe.listed.values()}
    problems = []
    for name in cleared:
        given = [file for file in kept.values() if name in file.sections.get(PARAMETERS, {})]
        if given or name in recipe.parameters:
            continue
        for file, content in kept.items():
            if name in content.sections.get(PARAMETER_DEFAULTS, {}):
                message = (
                    f'"{names.get(file, file)}" gives "{name}" a value for all templates, which '
                    "cannot be cleared as that of a parameter"
                )
                hint = "send the environment without it, or take it off the list"
                problem = Problem(message, (PARAMETER_DEFAULTS, name), hint)
                problems.append(content.document.placed(problem))
                break
    if problems:
        raise InvalidDocument(problems)


def _not_listed(name: str, listed: Mapping[str, ListedFile]) -> Problem:
    names = [each.name for each in listed.values()]
    hint = did_you_mean(name, names) or f"it has {', '.join(names) or 'none'}"
    return Problem(f'the stack has no environment file "{name}" to be taken off its list', (), hint)


def _joined(old: str, new: str) -> str:
    """Return one inline environment that says what both say, the new one last."""
    parts = [parse_environment(parse(text, INLINE)) for text in (old, new) if text]
    if not parts:
        return ""
    sections = {name: content for name, content in merge(parts).data().items() if content}
    # How it joins the files, now that both have become one.
    stated: dict[str, Any] = {}
    for part in parts:
        stated |= part.sections.get(MERGE_STRATEGIES, {})
    return json.dumps({**sections, **({MERGE_STRATEGIES: stated} if stated else {})})
