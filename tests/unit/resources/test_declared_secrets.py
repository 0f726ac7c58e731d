"""What a type declares to be secret is one, whoever gave it."""

from hotplate.resources.declared_secrets import with_declared_secrets
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import ResourceType
from hotplate.secret import secret_paths


class _Declaring(ResourceType):
    name = "Test::Declaring"
    properties = {
        "name": Property(),
        "password": Property(secret=True),
        "users": Property(
            PropertyKind.LIST,
            items=Property(
                PropertyKind.MAP, schema={"name": Property(), "key": Property(secret=True)}
            ),
        ),
    }


class _Open(ResourceType):
    name = "Test::Open"
    properties = {"name": Property()}


def test_declared_properties_are_typed_wherever_they_are() -> None:
    given = {
        "name": "x",
        "password": "p",
        "users": [{"name": "a", "key": "k"}, {"name": "b"}],
        "unknown": 1,
    }
    typed = with_declared_secrets(_Declaring(), given)
    assert typed == given
    assert secret_paths(typed) == [["password"], ["users", 0, "key"]]


def test_a_value_of_another_kind_is_left_alone() -> None:
    given = {"users": "no list", "password": {"a": "b"}}
    assert secret_paths(with_declared_secrets(_Declaring(), given)) == [["password", "a"]]


def test_a_type_that_declares_none_costs_nothing() -> None:
    given = {"name": "x"}
    assert with_declared_secrets(_Open(), given) is given
