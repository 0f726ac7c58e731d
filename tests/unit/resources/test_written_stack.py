"""Twin of hotplate.resources.written_stack: comparing resources by what is written of them."""

from collections.abc import Iterable
from typing import Any

from hotplate.resources.written_stack import Value, WrittenResource, WrittenStack
from hotplate.template import UNKNOWN, Reference


def resource(name: str, type_name: str = "T", **properties: Any) -> WrittenResource:
    return WrittenResource(name, type_name, properties.get)


def names(found: Iterable[WrittenResource]) -> set[str]:
    return {each.name for each in found}


def test_a_path_leads_through_maps_and_lists() -> None:
    own = resource("r", ips=[{"subnet": "a"}, {"ip": "1"}, {"subnet": Reference("b")}], n={"x": 4})
    assert own.values("ips[].subnet") == {"a", Reference("b")}
    assert own.values("n.x") == {"4"}
    assert own.values("absent") == own.values("n.absent") == set()


def test_an_older_name_is_read_as_well() -> None:
    assert resource("r", network_id="a").values("network|network_id") == {"a"}
    assert resource("r", network=None, network_id="a").values("network|network_id") == {"a"}
    ips = [{"subnet_id": "a"}, {"subnet": "b"}]
    assert resource("r", ips=ips).values("ips[].subnet|subnet_id") == {"a", "b"}


def test_unknown_on_the_way_is_unknown_at_the_end() -> None:
    assert resource("r", ips=UNKNOWN).values("ips[].subnet") == {UNKNOWN}
    assert resource("r", ips=["a", UNKNOWN]).values("ips[]") == {"a", UNKNOWN}
    assert resource("r", ips=[{"subnet": {"not": "a text"}}]).values("ips[].subnet") == {UNKNOWN}
    assert resource("r", ips='[{"subnet": "a"}]').values("ips[].subnet") == {UNKNOWN}


def test_parts_are_read_one_by_one() -> None:
    own = resource("r", networks=[{"port": "p", "uuid": "n"}, UNKNOWN])
    first, second = own.parts("networks[]")
    assert first.values("port") == {"p"}
    assert first.values("network|uuid") == {"n"}
    assert second.values("port") == {UNKNOWN}
    assert resource("r").parts("networks[]") == []


STACK = WrittenStack(
    [
        resource("a", network="net"),
        resource("b", network=Reference("net")),
        resource("c", network=UNKNOWN),
        resource("d"),
        resource("e", "other", network="net"),
    ]
)


def test_equal_values_match_and_unknown_ones() -> None:
    assert names(STACK.matching("T", "network", {"net"})) == {"a", "c"}
    assert names(STACK.matching("T", "network", {Reference("net"), "net"})) == {"a", "b", "c"}
    assert names(STACK.matching("T", "network", {"elsewhere"})) == {"c"}
    assert names(STACK.matching("T", "network", ())) == set()
    assert names(STACK.matching("none", "network", {"net"})) == set()


def test_an_unknown_value_matches_whatever_has_one() -> None:
    assert names(STACK.matching("T", "network", {UNKNOWN})) == {"a", "b", "c"}


def test_a_key_may_look_at_other_resources() -> None:
    def network(own: WrittenResource, stack: WrittenStack) -> Iterable[Value]:
        for value in own.values("of"):
            other = stack.named(value.name) if isinstance(value, Reference) else None
            yield from other.values("network") if other else {UNKNOWN}

    one, two = resource("one", of=Reference("net")), resource("two", of=Reference("gone"))
    stack = WrittenStack([one, two, resource("net", "N", network="x")])
    assert names(stack.matching("T", network, {"x"})) == {"one", "two"}
    assert names(stack.matching("T", network, {"y"})) == {"two"}


def test_each_resource_is_read_once_however_many_compare_themselves() -> None:
    read = []

    def reader(name: str) -> Any:
        read.append(name)
        return "net"

    stack = WrittenStack(WrittenResource(str(at), "T", reader) for at in range(100))
    for _ in range(100):
        assert not list(stack.matching("T", "network", {"another"}))
    assert len(read) == 100
