"""`hotplate failures`: everything that failed in a stack, with what a script had to say."""

from typing import Any

import click

from hotplate.cli.answers.resource_paths import every_resource
from hotplate.cli.command_line.arguments import stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.failures import show_failures
from hotplate.client import Api, Document, Refusal, name_of

_DEPLOYMENTS = ("OS::Heat::SoftwareDeployment", "OS::Heat::StructuredDeployment")
_STREAMS = ("deploy_stdout", "deploy_stderr")
_LINES = 10
"""Of a script's output, unless all of it is wanted."""


@command(
    "failures",
    examples=[
        ("hotplate failures app", "What failed, wherever it is:"),
        ("hotplate failures app --long", "With all that scripts have printed:"),
    ],
)
@stack_argument
@click.option("--long", "is_long", is_flag=True, help="All that their scripts printed.")
@with_session
async def failures(session: Session, name: str, is_long: bool) -> None:
    """List what failed in a stack and its nested stacks, with the output of its scripts."""
    async with session.api() as api:
        shown = await session.shown(api, name)
        failed = shown.get("failures")
        if failed is None:
            failed = _marked(await api.tree(name_of(shown)))
        found = [await _with_output(api, each, is_long) for each in failed]
    for each in found:
        session.output.record("failure", **each)
    if not found:
        session.output.note(f"nothing has failed in {shown['stack_name']}")
        return
    show_failures(session.output, shown["stack_name"], shown["stack_status"], "", found)


def _marked(tree: Document) -> list[Document]:
    """Return what is broken in a stack that is not: it was marked, or a check found it."""
    return [
        {
            "path": list(each.path),
            "resource_type": each.document["resource_type"],
            "physical_resource_id": each.document["physical_resource_id"],
            "resource_action": each.document["resource_status"].partition("_")[0],
            "reason": each.document["resource_status_reason"],
            "is_old": each.is_old,
        }
        for each in every_resource(tree)
        if each.document["resource_status"].endswith("_FAILED") and "stack" not in each.document
    ]


async def _with_output(api: Api, failure: Document, is_long: bool) -> Document:
    """Return a failure with what the script of a deployment has printed."""
    deployment = failure.get("physical_resource_id")
    if failure["resource_type"] not in _DEPLOYMENTS or not deployment:
        return failure
    try:
        answer = await api.call("GET", f"/software_deployments/{deployment}")
    except Refusal as refusal:
        if refusal.is_missing:
            return failure
        raise
    values: dict[str, Any] = answer["software_deployment"].get("output_values") or {}
    printed = {name: _end(str(values[name]), is_long) for name in _STREAMS if values.get(name)}
    return {**failure, "printed": printed}


def _end(text: str, is_long: bool) -> str:
    lines = text.rstrip("\n").splitlines()
    if is_long or len(lines) <= _LINES:
        return "\n".join(lines)
    return "\n".join(("…", *lines[-_LINES:]))
