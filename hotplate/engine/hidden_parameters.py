"""Which parameters are hidden, and so which secrets are known of a stack."""

from hashlib import sha256
from typing import Final

from hotplate.document import InvalidDocument, parse
from hotplate.engine.recipes import Bound, Recipe
from hotplate.secret import Secrets, plain
from hotplate.template import ParameterType, Template, compile_template
from hotplate.template.value import as_text

_MOST_KNOWN = 10_000
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
