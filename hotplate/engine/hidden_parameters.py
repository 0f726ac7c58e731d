"""Which parameters are hidden, and what is shown in place of their values."""

from hashlib import sha256
from typing import Final

from hotplate.document import InvalidDocument, parse
from hotplate.engine.recipes import Bound, Recipe
from hotplate.template import Template, compile_template

STARS: Final = "******"

_MOST_KNOWN = 10_000
_known: Final[dict[bytes, frozenset[str]]] = {}


def hidden_names(*bounds: Bound) -> frozenset[str]:
    """Return the parameters that any template of the stacks declares hidden, files included."""
    names: set[str] = set()
    for bound in bounds:
        names |= hidden_in(bound.template.template, bound.recipe)
    return frozenset(names)


def hidden_in(template: Template, recipe: Recipe) -> frozenset[str]:
    """Return the parameters that a recipe's template, or one among its files, declares hidden."""
    names = set(_declared(template))
    for name, body in recipe.files.items():
        # Most files are none; looking for the key first spares reading scripts as YAML.
        if "emplate" in body and name not in recipe.environment_files:
            names |= _hidden_in_text(body)
    return frozenset(names)


def _hidden_in_text(body: str) -> frozenset[str]:
    """Return the hidden parameters of what may be a template; each text is read once."""
    # By its digest: the texts themselves may be of megabytes.
    digest = sha256(body.encode()).digest()
    found = _known.get(digest)
    if found is None:
        try:
            found = _declared(compile_template(parse(body, "file")))
        except InvalidDocument:
            found = frozenset()
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[digest] = found
    return found


def _declared(template: Template) -> frozenset[str]:
    parameters = template.parameters.values()
    return frozenset(parameter.name for parameter in parameters if parameter.hidden)
