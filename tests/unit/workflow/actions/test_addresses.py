"""Which addresses may be reached on behalf of others."""

import pytest

from hotplate.workflow.actions import Reach, is_public


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::808:808"])
def test_addresses_of_the_public_network(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1",
        "fe80::1%eth0", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
        "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "::127.0.0.1", "64:ff9b:1::1",
        "nonsense", "",
    ],
)  # fmt: skip
def test_all_others_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "fd00::5"])
def test_an_operator_can_allow_networks(address: str) -> None:
    assert Reach(["10.1.0.0/16", "fd00::/64"]).allows(address)
    assert not Reach(["10.2.0.0/16", "fd01::/64"]).allows(address)


def test_what_is_public_is_always_allowed_and_nonsense_never() -> None:
    assert Reach().allows("8.8.8.8")
    assert not Reach(["0.0.0.0/0", "::/0"]).allows("nonsense")
    with pytest.raises(ValueError, match="does not appear"):
        Reach(["the office"])
