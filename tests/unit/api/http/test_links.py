"""Addresses in answers."""

from hotplate.api.http.links import Links, link

LINKS = Links("http://host:8004/v1.0")


def test_addresses_repeat_the_form_that_the_client_used() -> None:
    stack = LINKS.stack("project", "name", "id")
    assert stack == "http://host:8004/v1.0/project/stacks/name/id"
    assert LINKS.event(stack, "a", "e") == f"{stack}/resources/a/events/e"


def test_names_are_quoted() -> None:
    stack = LINKS.stack("a/b", "näher", "id")
    assert stack == "http://host:8004/v1.0/a%2Fb/stacks/n%C3%A4her/id"
    assert LINKS.resource(stack, "a b/?#%~") == f"{stack}/resources/a%20b%2F%3F%23%25~"


def test_a_link_says_what_it_leads_to() -> None:
    assert link("x") == {"href": "x", "rel": "self"}
    assert link("x", "stack") == {"href": "x", "rel": "stack"}
