import pytest

from hotplate.policy import BadRule, Facts, parse_rule

CALLER = {
    "roles": frozenset(("member", "reader")),
    "project_id": "p",
    "is_admin": False,
    "token": {"methods": ["password"]},
}
TARGET = {"project_id": "p", "role": "member", "owner": "q"}
RULES = {
    "yes": parse_rule("@"),
    "ring": parse_rule("rule:ring"),
    "deep:name": parse_rule("role:member"),
}


def holds(rule: object) -> bool:
    return parse_rule(rule).holds(Facts(CALLER, TARGET, RULES))


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "@",
        "role:member",
        "role:Member",
        "role:%(role)s",
        "rule:yes",
        "rule:deep:name",
        "not role:admin",
        "NOT role:admin AND role:member",
        "project_id:%(project_id)s",
        "is_admin:False",
        "token.methods:password",
        "'member':%(role)s",
        "role:admin or role:member",
        "role:member or role:admin and role:admin",
        "(role:admin or role:member) and (not (role:admin))",
        [],
        [["role:admin"], ["role:member", "role:reader"]],
        ["role:member"],
    ],
)
def test_a_rule_that_holds(rule: object) -> None:
    assert holds(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "!",
        "role:admin",
        "rule:missing",
        "rule:ring",
        "project_id:%(owner)s",
        "project_id:%(missing)s",
        "missing:x",
        "token.missing.x:y",
        "(role:member or role:admin) and role:admin",
        "not role:admin and role:admin",
        [["role:admin", "role:member"]],
    ],
)
def test_a_rule_that_does_not_hold(rule: object) -> None:
    assert not holds(rule)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("member", "is no check"),
        ("role:a role:b", 'stands where "and" or "or" is expected'),
        ("role:a and", "ends where a check is expected"),
        ("(role:a", r'a "\)" is missing'),
        ("role:a)", "expected"),
        ("http://example.org/check", "not supported"),
        (7, "is a text"),
        ([[7]], "list of lists"),
        ("(" * 60 + "@" + ")" * 60, "too deep"),
        ("role:a or " * 2000, "at most"),
    ],
)
def test_what_cannot_be_read_is_refused(rule: object, words: str) -> None:
    with pytest.raises(BadRule, match=words):
        parse_rule(rule)
