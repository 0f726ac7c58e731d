"""std.email: a message by a mail server that the task names. Off unless the operator allows it."""

import asyncio
import smtplib
from collections.abc import Mapping
from email.message import EmailMessage
from typing import Any

from hotplate.workflow.actions.action import REQUIRED, Action, Caller, Outcome, failed
from hotplate.workflow.actions.addresses import Reach
from hotplate.workflow.actions.guarded import resolve
from hotplate.workflow.actions.settings import ActionSettings
from hotplate.workflow.machine import Result


def mail_action(settings: ActionSettings) -> Action:
    """Return the action that sends mail."""
    reach = Reach(settings.may_reach)

    async def perform(given: Mapping[str, Any], caller: Caller) -> Outcome:
        host, _, port = str(given["smtp_server"]).partition(":")
        try:
            # The library is given a checked address, so what was looked up is what is reached.
            addresses = await resolve(host, int(port or 25))
            if not all(map(reach.allows, addresses)):
                return failed(
                    f"this server does not connect to {host}: its address is not a public one; "
                    "an operator can allow networks with may_reach in [workflows]"
                )
            message = _message(given)
            async with asyncio.timeout(settings.seconds):
                await asyncio.to_thread(
                    _send, addresses[0], int(port or 25), host, given, message, settings.seconds
                )
        except TimeoutError:
            return failed(f"sending the message took more than {settings.seconds:g} seconds")
        except (OSError, ValueError, TypeError, smtplib.SMTPException) as error:
            return failed(f"the message could not be sent: {error}")
        return Result()

    return Action(
        "std.email",
        "Sends a message through a mail server.",
        {
            "from_addr": REQUIRED,
            "to_addrs": REQUIRED,
            "smtp_server": REQUIRED,
            "reply_to": None,
            "cc_addrs": None,
            "bcc_addrs": None,
            "smtp_password": None,
            "subject": None,
            "body": None,
            "html_body": None,
        },
        perform=perform,
    )


def _message(given: Mapping[str, Any]) -> EmailMessage:
    message = EmailMessage()
    message["From"] = str(given["from_addr"])
    message["To"] = ", ".join(_addresses(given["to_addrs"]))
    for name, key in (("Cc", "cc_addrs"), ("Reply-To", "reply_to")):
        if given[key]:
            message[name] = ", ".join(_addresses(given[key]))
    message["Subject"] = str(given["subject"] or "<No subject>")
    message.set_content(str(given["body"] or "<No body>"))
    if given["html_body"]:
        message.add_alternative(str(given["html_body"]), subtype="html")
    return message


def _addresses(given: Any) -> list[str]:
    return [str(each) for each in (given if isinstance(given, list) else [given])]


def _send(
    address: str,
    port: int,
    host: str,
    given: Mapping[str, Any],
    message: EmailMessage,
    seconds: float,
) -> None:
    receivers = [
        each
        for key in ("to_addrs", "cc_addrs", "bcc_addrs")
        if given[key]
        for each in _addresses(given[key])
    ]
    with smtplib.SMTP(timeout=seconds) as server:
        server.connect(address, port)
        server._host = host  # type: ignore[attr-defined]  # certificates name the server so
        if given["smtp_password"] is not None:
            server.starttls()
            server.login(str(given["from_addr"]), str(given["smtp_password"]))
        server.send_message(message, str(given["from_addr"]), receivers)
