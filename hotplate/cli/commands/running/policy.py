"""`hotplate policy …`: who may do what on a server."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hotplate.cli.command_line.lazy_commands import LazyGroup, command
from hotplate.cli.output.exit_codes import Code
from hotplate.cli.output.output import FORMS, Output

if TYPE_CHECKING:
    from hotplate.server import PolicyReport


@click.pass_context
def _default(ctx: click.Context) -> Any:
    """Do as `show` if no command is named."""
    return ctx.invoke(show) if ctx.invoked_subcommand is None else None


policy = LazyGroup(
    "policy",
    help="Show who may do what on a server; without a command as `show`.",
    lazy={
        "show": ("running.policy:show", "List the rules that hold."),
        "check": ("running.policy:check", "Say whether some roles may do something, and why."),
    },
    invoke_without_command=True,
    callback=_default,
)


def _options(function: Any) -> Any:
    function = click.option(
        "--output", "form", type=click.Choice(FORMS), default="text", help="text or json."
    )(function)
    function = click.option(
        "--config",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The configuration of the server [~/.config/hotplate/hotplate.toml].",
    )(function)
    return click.option(
        "--policy-file", metavar="FILE", help="The policy [policy.yaml beside the configuration]."
    )(function)


def _report(policy_file: str | None, config: Path | None, output: Output) -> "PolicyReport | None":
    from hotplate.server import CannotStart, PolicyReport

    try:
        return PolicyReport(policy_file or "", os.environ, config)
    except CannotStart as fault:
        output.error(str(fault), Code.USAGE)
        return None


@command(
    "show",
    examples=[
        ("hotplate policy show", ""),
        ("hotplate policy show --changed", "What files say, and what would hold without them:"),
    ],
)
@click.option("--changed", is_flag=True, help="Only rules that stand in a file.")
@_options
def show(
    changed: bool = False,
    policy_file: str | None = None,
    config: Path | None = None,
    form: str = "text",
) -> int:
    """List the rules that hold, each with the file that it is from, or "default".

    Nothing is asked of a server: the files are read that a server with this configuration reads.
    """
    output = Output(form)
    report = _report(policy_file, config, output)
    if report is None:
        return Code.USAGE
    rules = [rule for rule in report.rules() if rule.file or not changed]
    width = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        output.record(
            "rule",
            name=rule.name,
            expression=rule.expression,
            file=rule.file or None,
            default=rule.default or None,
        )
        origin = f"{rule.file} (default: {rule.default or 'none'})" if rule.file else "default"
        output.say(f"{rule.name:{width}}  {rule.expression or '@'}  [{origin}]")
    for name in report.unknown():
        output.note(f'nothing asks about the rule "{name}"')
    return Code.DONE


@command(
    "check",
    examples=[
        ("hotplate policy check --roles member stacks:create", ""),
        ("hotplate policy check --roles reader,member OS::Nova::Flavor", "About a resource type:"),
    ],
)
@click.argument("rule")
@click.option("--roles", required=True, metavar="NAMES", help="Roles, with commas between them.")
@_options
def check(rule: str, roles: str, policy_file: str | None, config: Path | None, form: str) -> int:
    """Say whether who has these roles may do what RULE is about, in their own project, and why.

    RULE is a rule such as stacks:create, or a resource type. Roles come with those that they
    imply: admin with member, member with reader. The exit code is 0 for yes and 1 for no.
    """
    output = Output(form)
    report = _report(policy_file, config, output)
    if report is None:
        return Code.USAGE
    verdict = report.verdict(rule, [role for role in roles.split(",") if role])
    if verdict is None:
        output.error(f'there is no rule "{rule}"', Code.USAGE, "`hotplate policy show` lists them")
        return Code.USAGE
    output.record(
        "verdict",
        is_allowed=verdict.is_allowed,
        rule=verdict.rule or None,
        expression=verdict.expression,
        reasons=list(verdict.reasons),
    )
    if not verdict.rule:
        output.say("yes: no rule is about it")
        return Code.DONE
    answer = "yes" if verdict.is_allowed else "no"
    output.say(f"{answer}: {verdict.rule} is {verdict.expression or '@'}")
    for reason in verdict.reasons:
        output.say(f"  {reason}")
    return Code.DONE if verdict.is_allowed else Code.FAILED
