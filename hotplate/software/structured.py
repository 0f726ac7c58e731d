"""Configs that are structures: where they ask for an input, its value is put."""

from collections.abc import Mapping
from typing import Any


class InputMissing(ValueError):
    """A structure asks for an input that there is not."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The Parameter ({name}) was not provided.")
        self.name = name


def filled(config: Any, key: str, inputs: Mapping[str, Any], strict: bool) -> Any:
    """Return a structure in which each map ``{key: name}`` has become the input of that name.

    An input that there is not is null; where that is not good enough, InputMissing is raised.
    """
    if isinstance(config, Mapping):
        name = config.get(key) if len(config) == 1 else None
        if not isinstance(name, str):
            return {inner: filled(value, key, inputs, strict) for inner, value in config.items()}
        if strict and name not in inputs:
            raise InputMissing(name)
        return inputs.get(name)
    if isinstance(config, list):
        return [filled(value, key, inputs, strict) for value in config]
    return config
