"""Functions that make texts."""

import hashlib
from typing import Any

from hotplate.document import Data
from hotplate.template.budget import ITEM
from hotplate.template.errors import BadCall, kind_of
from hotplate.template.expression import Call, Constant, Expression, entries_of, is_call
from hotplate.template.functions.arguments import (
    as_json,
    must_be,
    must_be_list_or_empty,
    named,
    positional,
    shown,
    text,
    warn_of_unknown,
)
from hotplate.template.scope import Scope
from hotplate.template.site import Site


class OldStrReplace(Call):
    """``str_replace`` before 2015-10-15: only texts, numbers and booleans can be filled in."""

    __slots__ = ()

    strict = False
    allow_empty = True
    params_step: str | int = "params"
    form = "str_replace: {template: TEXT, params: {PLACEHOLDER: VALUE}}"

    def _split(self) -> tuple[Expression, Expression]:
        arguments = named(self.arguments, ("template", "params"), self.form)
        return arguments["template"], arguments["params"]

    def check(self, site: Site) -> None:
        """Refuse missing and superfluous arguments."""
        template, params = self._split()
        self._check_names(site)
        must_be(template, (str, type(None)), "the template must be a text", "template")
        must_be(params, (dict,), "the params must be a map", "params")

    def _check_names(self, site: Site) -> None:
        warn_of_unknown(entries_of(self.arguments) or {}, ("template", "params"), site)

    def evaluate(self, scope: Scope) -> Data:
        """Return the template with all placeholders replaced at once."""
        template_part, params_part = self._split()
        template = text(template_part.resolve_alone(scope), "the template")
        params = params_part.resolve_alone(scope)
        if not isinstance(params, dict):
            raise BadCall(f"the params must be a map, not {kind_of(params)}")
        values = {key: self._text_for(key, value) for key, value in params.items()}
        if "" in values:
            raise BadCall("a placeholder in the params is empty", path=(self.params_step, ""))
        result, absent = _replace(template, values, scope)
        if self.strict and absent:
            names = ", ".join(f'"{name}"' for name in absent)
            raise BadCall(f"the template does not contain {names}", path=("params", absent[0]))
        return result

    def _text_for(self, key: str, value: Data) -> str:
        if value is None or value == "":
            if not self.allow_empty:
                raise BadCall(f'the value for "{key}" is empty', path=(self.params_step, key))
            return ""
        if isinstance(value, dict | list):
            return self._text_for_collection(key, value)
        return str(value)

    def _text_for_collection(self, key: str, value: Data) -> str:
        raise BadCall(
            f'the value for "{key}" is {kind_of(value)}',
            "maps and lists can be filled in since heat_template_version 2015-10-15",
            (self.params_step, key),
        )


class StrReplace(OldStrReplace):
    """``str_replace``: a map or list is filled in as JSON."""

    __slots__ = ()

    def _text_for_collection(self, key: str, value: Data) -> str:
        if not value and not self.allow_empty:
            raise BadCall(f'the value for "{key}" is empty', path=(self.params_step, key))
        return as_json(value)


class StrReplaceStrict(StrReplace):
    """``str_replace_strict``: every placeholder must occur in the template."""

    __slots__ = ()

    strict = True
    form = "str_replace_strict: {template: TEXT, params: {PLACEHOLDER: VALUE}}"


class StrReplaceVeryStrict(StrReplaceStrict):
    """``str_replace_vstrict``: besides, no value may be empty."""

    __slots__ = ()

    allow_empty = False
    form = "str_replace_vstrict: {template: TEXT, params: {PLACEHOLDER: VALUE}}"


def _replace(template: str, values: dict[str, str], scope: Scope) -> tuple[str, list[str]]:
    """Return the text and the placeholders that are not in it.

    Longer placeholders go first, of equal ones the smaller; results are never replaced again.
    ``pieces`` alternates between text that is still to be searched (even) and results (odd).
    """
    pieces = [template]
    absent = []
    for placeholder in sorted(values, key=lambda key: (-len(key), key)):
        value = values[placeholder]
        scope.budget.spend(len(template) // 16 + len(pieces))
        if not any(placeholder in piece for piece in pieces[::2]):
            absent.append(placeholder)
            continue
        replaced: list[str] = []
        for index, piece in enumerate(pieces):
            if index % 2 or placeholder not in piece:
                replaced.append(piece)
                continue
            parts = piece.split(placeholder)
            scope.budget.spend(len(parts) * (len(value) + ITEM))
            for part in parts[:-1]:
                replaced += (part, value)
            replaced.append(parts[-1])
        pieces = replaced
    return "".join(pieces), absent


class OldListJoin(Call):
    """``list_join`` before 2015-10-15 and ``Fn::Join``: one list of texts."""

    __slots__ = ()

    most: int | None = 2

    def _form(self) -> str:
        return f'{self.name}: [", ", [first, second]]'

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        delimiter, *lists = positional(self.arguments, 2, self.most, self._form())
        must_be(delimiter, (str,), "the delimiter must be a text", 0)
        for index, items in enumerate(lists, 1):
            must_be_list_or_empty(items, "what is joined must be a list", index)

    def evaluate(self, scope: Scope) -> Data:
        """Return the items as one text; null counts as an empty text."""
        delimiter_part, *parts = positional(self.arguments, 2, self.most, self._form())
        texts: list[str] = []
        for index, part in enumerate(parts, 1):
            items = part.resolve_alone(scope)
            if items is not None and not isinstance(items, list):
                if not items and self.most is None:
                    continue
                raise BadCall(f"what is joined must be a list, not {kind_of(items)}", path=(index,))
            texts.extend(
                self._text_of(item, index, position) for position, item in enumerate(items or ())
            )
        delimiter = text(delimiter_part.resolve_alone(scope), "the delimiter")
        scope.budget.spend(sum(map(len, texts)) + len(delimiter) * len(texts))
        return delimiter.join(texts)

    def _text_of(self, item: Data, *steps: int) -> str:
        if item is None:
            return ""
        if not isinstance(item, str):
            raise BadCall(f"an item to join must be a text, not {kind_of(item)}", path=steps)
        return item


class ListJoin(OldListJoin):
    """``list_join``: several lists; a map or list inside is written as JSON."""

    __slots__ = ()

    most = None

    def _text_of(self, item: Data, *steps: int) -> str:
        return as_json(item) if isinstance(item, dict | list) else super()._text_of(item, *steps)


class StrSplit(Call):
    """``str_split: [delimiter, text, index]``."""

    __slots__ = ()

    def check(self, site: Site) -> None:
        """Refuse a wrong number of arguments."""
        if is_call(self.arguments):
            return
        items = positional(self.arguments, 2, 3, "str_split: [DELIMITER, TEXT, INDEX]")
        must_be(items[0], (str, type(None)), "the delimiter must be a text", 0)
        must_be(items[1], (str, type(None)), "what is split must be a text", 1)

    def evaluate(self, scope: Scope) -> Data:
        """Return the parts, or the one asked for."""
        arguments = self.arguments.resolve_alone(scope)
        if not isinstance(arguments, list) or not 2 <= len(arguments) <= 3:
            raise BadCall("takes 2 or 3 arguments", "write str_split: [DELIMITER, TEXT, INDEX]")
        delimiter, whole = arguments[:2]
        if whole is None:
            return None
        if delimiter == "":
            raise BadCall("the delimiter must not be empty")
        if delimiter is not None:
            text(delimiter, "the delimiter")
        parts: list[Any] = text(whole, "what is split").split(delimiter)
        scope.budget.spend(len(parts) * ITEM + len(whole))
        if len(arguments) < 3:
            return parts
        try:
            return parts[int(arguments[2])]
        except IndexError:
            raise BadCall(
                f"there is no part {arguments[2]}", f"the last one is {len(parts) - 1}"
            ) from None
        except (TypeError, ValueError):
            raise BadCall(f"the index must be a whole number, not {shown(arguments[2])}") from None


class Digest(Call):
    """``digest: [algorithm, text]``."""

    __slots__ = ()

    _form = "digest: [sha256, TEXT]"

    def check(self, site: Site) -> None:
        """Refuse an algorithm that does not exist."""
        if is_call(self.arguments):
            return
        algorithm, value = positional(self.arguments, 2, 2, self._form)
        must_be(value, (str,), "what is digested must be a text", 1)
        if isinstance(algorithm, Constant):
            self._hash(algorithm.value)

    def evaluate(self, scope: Scope) -> Data:
        """Return the digest in hexadecimal."""
        arguments = self.arguments.resolve_alone(scope)
        if not isinstance(arguments, list) or len(arguments) != 2:
            raise BadCall("takes 2 arguments", f"write {self._form}")
        digest = self._hash(arguments[0])
        value = text(arguments[1], "what is digested")
        scope.budget.spend(len(value))
        try:
            digest.update(value.encode("latin-1"))
        except UnicodeEncodeError:
            raise BadCall("what is digested must be Latin-1 text") from None
        return digest.hexdigest()

    def _hash(self, algorithm: Data) -> Any:
        name = text(algorithm, "the algorithm").lower()
        if name not in hashlib.algorithms_available or name.startswith("shake"):
            known = ", ".join(n for n in sorted(hashlib.algorithms_guaranteed) if "shake" not in n)
            raise BadCall(f'there is no algorithm "{name}"', f"use one of {known}")
        return hashlib.new(name, usedforsecurity=False)
