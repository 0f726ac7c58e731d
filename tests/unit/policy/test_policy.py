import pytest

from hotplate.policy import Policy, Written


def may(policy: Policy, rule: str, *roles: str, asked_in: str = "p", **more: object) -> bool:
    caller = {"roles": frozenset(roles), "project_id": "p", "is_admin_project": True, **more}
    return policy.allows(rule, caller, {"project_id": asked_in})


@pytest.mark.parametrize(
    ("rule", "roles"),
    [
        ("stacks:index", {"reader", "member", "admin"}),
        ("actions:check", {"reader", "member", "admin"}),
        ("stacks:create", {"member", "admin"}),
        ("stacks:secrets", {"member", "admin"}),
        ("stacks:update_no_change", {"member", "admin"}),
        ("workflows:create", {"member", "admin"}),
        ("workflows:list", {"reader", "member", "admin"}),
        ("service:index", {"admin"}),
        ("stacks:global_index", {"admin"}),
        ("workflows:publicize", {"admin"}),
        ("resource_types:OS::Nova::Flavor", {"admin"}),
        ("no:such", set()),
    ],
)
def test_what_roles_may_do_unless_a_file_says_otherwise(rule: str, roles: set[str]) -> None:
    policy = Policy.of()
    # As Keystone lists them: a role comes with those that it implies.
    listed = {"reader": 1, "member": 2, "admin": 3}
    all_roles = ("reader", "member", "admin")
    found = {role for role, count in listed.items() if may(policy, rule, *all_roles[:count])}
    assert found == roles


def test_nothing_is_allowed_in_another_project() -> None:
    policy = Policy.of()
    for rule in ("stacks:index", "stacks:create", "service:index"):
        assert not may(policy, rule, "reader", "member", "admin", asked_in="q")


def test_an_administrator_of_another_than_the_chosen_project_is_none() -> None:
    assert not may(Policy.of(), "context_is_admin", "admin", is_admin_project=False)


def test_a_file_replaces_a_default_and_others_see_it() -> None:
    policy = Policy.of({"stacks:update_patch": Written("role:operator", "f")})
    assert not may(policy, "stacks:update_patch", "member")
    assert may(policy, "stacks:update_no_change", "operator")
    assert policy.reasons("stacks:update_no_change", {"roles": frozenset()}, {}) == [
        "role:operator does not hold"
    ]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("OS::Nova::Server", "resource_types:OS::Nova::Server"),
        ("OS::Nova::KeyPair", "resource_types:OS::Nova::*"),
        ("OS::Keystone::User", "resource_types:OS::Keystone::*"),
        ("OS::Heat::Value", "resource_types:OS::*"),
        ("My::Type", None),
    ],
)
def test_the_nearest_rule_about_a_type_counts(name: str, rule: str | None) -> None:
    changes = {
        f"resource_types:OS::{each}": Written("!", "f") for each in ("Nova::Server", "Nova::*", "*")
    }
    assert Policy.of(changes).rule_of_type(name) == rule


def test_rules_that_nothing_asks_about_are_told() -> None:
    names = (
        *("stacks:create", "stacks:craete", "mine", "resource_types:OS::Nova::Server"),
        *("resource_types:OS::Nova::*", "resource_types:OS::Nova::Servr", "resource_types:AWS::*"),
    )
    changes = {name: Written("@", "f") for name in names}
    changes["stacks:delete"] = Written("rule:mine", "f")
    types = frozenset(("OS::Nova::Server",))
    wanted = ["stacks:craete", "resource_types:OS::Nova::Servr", "resource_types:AWS::*"]
    assert Policy.of(changes).unknown(lambda: types) == wanted
