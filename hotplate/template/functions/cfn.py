"""Functions of CloudFormation templates that HOT has no twin for."""

import json
from typing import Any

from hotplate.document import Data, InvalidDocument, did_you_mean, from_data
from hotplate.template.budget import ITEM
from hotplate.template.errors import BadCall, UnknownName, kind_of
from hotplate.template.expression import Call, Constant, Expression, items_of, own_copy
from hotplate.template.functions.arguments import must_be, positional, shown, text
from hotplate.template.functions.references import GetParam
from hotplate.template.functions.text import OldStrReplace
from hotplate.template.scope import Scope
from hotplate.template.site import Site

_LONGEST_JSON = 1_000_000


class ParameterRef(GetParam):
    """``Ref`` to a parameter."""

    __slots__ = ()

    def check(self, site: Site) -> None:
        """Refuse a name that is neither a parameter nor a resource."""
        value = self.arguments.value if isinstance(self.arguments, Constant) else ""
        if isinstance(self.arguments, Constant) and (
            not isinstance(value, str) or value not in site.parameters
        ):
            names = [*site.parameters, *site.resources]
            raise UnknownName(
                f"there is no parameter or resource {shown(value)}", did_you_mean(value, names)
            )


class FindInMap(Call):
    """``Fn::FindInMap: [map, key, value]``."""

    __slots__ = ("_mappings",)

    _form = '{"Fn::FindInMap": ["map", "key", "value"]}'

    def check(self, site: Site) -> None:
        """Keep the section Mappings; refuse what is not in it."""
        self._mappings = site.mappings
        items = positional(self.arguments, 3, 3, self._form)
        if isinstance(self.arguments, Constant):
            self._find([item.value for item in items if isinstance(item, Constant)])
        elif isinstance(items[0], Constant):
            self._find([items[0].value])

    def evaluate(self, scope: Scope) -> Data:
        """Return the value found."""
        value = self._find(
            [item.resolve_alone(scope) for item in positional(self.arguments, 3, 3, self._form)]
        )
        scope.budget.spend_for(value)
        return own_copy(value)

    def _find(self, steps: list[Data]) -> Data:
        value: Any = self._mappings
        for index, step in enumerate(steps):
            if not isinstance(value, dict) or not isinstance(step, str) or step not in value:
                place = " in ".join(["Mappings", *map(str, steps[:index])][::-1])
                known = value if isinstance(value, dict) else {}
                raise UnknownName(
                    f"there is no {shown(step)} in {place}", did_you_mean(step, known), (index,)
                )
            value = value[step]
        return value


class GetAZs(Call):
    """``Fn::GetAZs``: the availability zones, which the caller may hand in as a parameter."""

    __slots__ = ()

    PARAMETER = "AWS::AvailabilityZones"

    def evaluate(self, scope: Scope) -> Data:
        """Return the zones; Nova's default zone if the caller knows of none."""
        self.arguments.resolve_alone(scope)
        return own_copy(scope.parameters.get(self.PARAMETER, ["nova"]))


class Select(Call):
    """``Fn::Select: [index, list, map or JSON text]``; what is not there is an empty text."""

    __slots__ = ()

    def _parts(self) -> tuple[Expression, ...]:
        return positional(self.arguments, 2, 2, f"{self.name}: [index, list]")

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        self._parts()

    def evaluate(self, scope: Scope) -> Data:
        """Return the item."""
        index, values = (part.resolve_alone(scope) for part in self._parts())
        if values is None or values == "":
            return ""
        if isinstance(values, str):
            values = _from_json(values)
            if values is None:
                return ""
        if isinstance(values, dict):
            return values.get(text(index, "the key"), "")
        if not isinstance(values, list):
            raise BadCall(f"selects from a list or a map, not from {kind_of(values)}")
        try:
            return values[int(index)]  # type: ignore[arg-type]
        except IndexError:
            return ""
        except (TypeError, ValueError):
            raise BadCall(f"the index must be a whole number, not {shown(index)}") from None


def _from_json(value: str) -> Any:
    if len(value) > _LONGEST_JSON:
        raise BadCall("the JSON text is too long")
    try:
        return from_data(json.loads(value), "").data
    except (ValueError, RecursionError) as error:
        raise BadCall(f"{shown(value)} is not JSON: {error}") from None
    except InvalidDocument as fault:
        raise BadCall(f"the JSON is refused: {fault.problems[0].message}") from None


class Split(Call):
    """``Fn::Split: [delimiter, text]``."""

    __slots__ = ()

    def _parts(self) -> tuple[Expression, ...]:
        return positional(self.arguments, 2, 2, f'{self.name}: [",", "first,second"]')

    def check(self, site: Site) -> None:
        """Refuse a delimiter that is not a text."""
        delimiter, whole = self._parts()
        must_be(delimiter, (str,), "the delimiter must be a text", 0)
        must_be(whole, (str,), "what is split must be a text", 1)

    def evaluate(self, scope: Scope) -> Data:
        """Return the parts."""
        delimiter, whole = (part.resolve_alone(scope) for part in self._parts())
        if not text(delimiter, "the delimiter"):
            raise BadCall("the delimiter must not be empty")
        parts: list[Any] = text(whole, "what is split").split(text(delimiter, "the delimiter"))
        scope.budget.spend(len(parts) * ITEM + len(str(whole)))
        return parts


class FnReplace(OldStrReplace):
    """``Fn::Replace: [{placeholder: value}, template]``."""

    __slots__ = ()

    params_step = 0

    def _split(self) -> tuple[Expression, Expression]:
        params, template = positional(
            self.arguments, 2, 2, f'{self.name}: [{{"$name": "value"}}, "hello $name"]'
        )
        return template, params

    def _check_names(self, site: Site) -> None:
        """Positional arguments have no names."""


class Base64(Call):
    """``Fn::Base64``: gives its text back; the encoding is done where the text is used."""

    __slots__ = ()

    def check(self, site: Site) -> None:
        """Refuse anything but a text."""
        must_be(self.arguments, (str,), "the argument must be a text")

    def evaluate(self, scope: Scope) -> Data:
        """Return the text."""
        return text(self.arguments.resolve_alone(scope), "the argument")


class MemberListToMap(Call):
    """``Fn::MemberListToMap: [key name, value name, [".member.0.Name=key", …]]``."""

    __slots__ = ()

    _form = '{"Fn::MemberListToMap": ["Name", "Value", [".member.0.Name=key", …]]}'

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        key, value, _ = positional(self.arguments, 3, 3, self._form)
        must_be(key, (str,), "the name of the keys must be a text", 0)
        must_be(value, (str,), "the name of the values must be a text", 1)

    def evaluate(self, scope: Scope) -> Data:
        """Return the map the members spell out."""
        key_name, value_name, members = (
            item.resolve_alone(scope) for item in items_of(self.arguments) or ()
        )
        if not isinstance(members, list):
            raise BadCall(f"the members must be a list, not {kind_of(members)}")
        found: dict[str, dict[str, str]] = {}
        for member in members:
            name, separator, value = text(member, "a member").partition("=")
            if not separator:
                raise BadCall(f'a member needs a "=", {shown(member)} has none')
            prefix, _, field = name.rpartition(".")
            if prefix.startswith(".member."):
                found.setdefault(prefix, {})[field] = value
        return {
            fields[str(key_name)]: fields[str(value_name)]
            for _, fields in sorted(found.items(), key=lambda entry: _number(entry[0]))
            if str(key_name) in fields and str(value_name) in fields
        }


def _number(prefix: str) -> tuple[int, str]:
    last = prefix.rpartition(".")[2]
    return (int(last), prefix) if last.isdecimal() and len(last) < 10 else (0, prefix)
