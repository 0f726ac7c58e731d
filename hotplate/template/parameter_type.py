"""The five types of values a template parameter can have."""

from enum import Enum


class ParameterType(Enum):
    """Named as HOT names them."""

    STRING = "string"
    NUMBER = "number"
    LIST = "comma_delimited_list"
    JSON = "json"
    BOOLEAN = "boolean"
