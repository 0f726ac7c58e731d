"""POST /recipe: loose files become what a request is made of."""

from tests.api.conftest import Api

APP = """\
heat_template_version: wallaby
# Comments stay.
resources:
  server: {type: nested/server.yaml}
"""
SERVER = """\
heat_template_version: wallaby
resources:
  boot:
    type: OS::Heat::Value
    properties: {value: {get_file: boot.sh}}
"""


def test_what_was_put_together_can_be_created_and_is_given_back_as_text(api: Api) -> None:
    files = {"app/app.yaml": APP, "app/nested/server.yaml": SERVER, "app/nested/boot.sh": "true\n"}
    found = api.post("/recipe", json={"files": files}).json()
    assert found["template"] == "app/app.yaml"
    recipe = found["recipe"]
    sources = recipe.pop("sources")
    assert sources == {
        "nested/server.yaml": "app/nested/server.yaml",
        "boot.sh": "app/nested/boot.sh",
    }
    made = api.post("/stacks", json={"stack_name": "loose", **recipe})
    assert made.status_code == 201, made.text
    place = f"/stacks/loose/{made.json()['stack']['id']}"
    shown = api.get(f"{place}/template", params={"as_text": "true"}).json()
    assert shown == {"template": APP, "template_name": "app/app.yaml"}
    assert api.get(f"{place}/files").json() == recipe["files"]


def test_what_is_missing_is_told_with_its_place(api: Api) -> None:
    found = api.post("/recipe", json={"files": {"app.yaml": APP, "env.yaml": "parameters: {}"}})
    assert found.json() == {
        "kinds": {"app.yaml": "template", "env.yaml": "environment"},
        "template": "app.yaml",
        "environment_files": ["env.yaml"],
        "used": ["app.yaml", "env.yaml"],
        "missing": [
            {
                "name": "nested/server.yaml",
                "message": 'the file "nested/server.yaml" is missing',
                "path": "resources.server.type",
                "file": "app.yaml",
                "line": 4,
                "column": 12,
            }
        ],
        "recipe": None,
    }


def test_a_text_that_cannot_be_read_is_refused_with_its_place(api: Api) -> None:
    answer = api.post("/recipe", json={"files": {"app.yaml": f"{APP}  x: [}}\n"}})
    assert answer.status_code == 400
    (problem,) = answer.json()["error"]["problems"]
    assert (problem["file"], problem["line"]) == ("app.yaml", 5)
