"""Which parameters are hidden, and so which secrets are known of a stack."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from hotplate.bounded import Evaluation, TooHeavy, light, must_be_light
from hotplate.document import InvalidDocument, parse
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound
from hotplate.secret import Secrets, plain
from hotplate.template import ParameterType, Template, compile_template
from hotplate.template.value import as_text

_MOST_KNOWN = 10_000
_WORD: Final = "emplate"
"""In every template; most files have none, and need not be read as YAML."""

_known: Final[dict[bytes, frozenset[str]]] = {}


def hidden_names(*bounds: Bound) -> frozenset[str]:
    """Return the parameters that any template of the stacks declares hidden, files included."""
    names: set[str] = set()
    for bound in bounds:
        if bound.hidden is None:
            bound.hidden = hidden_in(bound.template.template, bound.recipe)
        names |= bound.hidden
    return frozenset(names)


def hidden_in(template: Template, recipe: Recipe) -> frozenset[str]:
    """Return the parameters that a recipe's template, or one among its files, declares hidden."""
    names = set(_declared(template))
    for name, body in recipe.files.items():
        # Most files are none; looking for the key first spares reading scripts as YAML.
        if _WORD in body and name not in recipe.environment_files:
            names |= _hidden_in_text(body)
    return frozenset(names)


def _hidden_in_text(body: str) -> frozenset[str]:
    """Return the hidden parameters of what may be a template; each text is read once."""
    digest = _digest(body)
    found = _known.get(digest)
    if found is None:
        must_be_light(len(body))
        try:
            found = _declared(compile_template(parse(body, "file")))
        except InvalidDocument:
            found = frozenset()
        _remember({digest: found})
    return found


def _digest(body: str) -> bytes:
    """Return what a text is known by: the texts themselves may be of megabytes."""
    return sha256(body.encode()).digest()


def _remember(found: Mapping[bytes, frozenset[str]]) -> None:
    if len(_known) + len(found) > _MOST_KNOWN:
        _known.clear()
    _known.update(found)


def _declared(template: Template) -> frozenset[str]:
    parameters = template.parameters.values()
    return frozenset(parameter.name for parameter in parameters if parameter.hidden)


def secrets_of(*bounds: Bound) -> Secrets:
    """Return the secrets that what is said of stacks may repeat, found once for each.

    These are the values of hidden parameters, also those that environments give for nested
    templates, and what the stacks around them have handed on.
    """
    found = Secrets()
    for bound in bounds:
        if bound.secrets is None:
            bound.secrets = _secrets_in(bound)
        found |= bound.secrets
    return found


async def known_secrets(tools: Tools, project: str, bound: Bound) -> Bound:
    """Return the same; its secrets are known now, and large files were read elsewhere for that."""
    if bound.secrets is None:
        try:
            with light():
                secrets_of(bound)
        except TooHeavy:
            files = bound.recipe.files
            _remember(await tools.evaluate(Evaluation(project, _hidden_in_files, (files,))))
            secrets_of(bound)
    return bound


def _hidden_in_files(tools: Tools, files: Mapping[str, str]) -> dict[bytes, frozenset[str]]:
    texts = [body for body in files.values() if _WORD in body]
    return {_digest(body): _hidden_in_text(body) for body in texts}


def _secrets_in(bound: Bound) -> Secrets:
    found: set[str] = set(bound.recipe.secrets)
    hidden = hidden_names(bound)
    for name, parameter in bound.template.template.parameters.items():
        if name in bound.values.secret_names and name in bound.values:
            value = bound.values[name]
            if parameter.hidden:
                is_text = parameter.type is ParameterType.STRING
                found.add(str(value) if is_text else as_text(parameter.type, plain(value)))
            # A list or a map is given away by what it is made of, too.
            found |= Secrets.inside(value).texts
    for given in (bound.environment.parameters, bound.environment.parameter_defaults):
        for name in hidden & set(given):
            found |= Secrets.all_of(given[name]).texts
    return Secrets(found)
