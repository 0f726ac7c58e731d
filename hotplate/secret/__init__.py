"""Values that nobody may see: their type, and what is shown in place of them.

A secret is a value with a type. `SecretText`, `SecretInt` and `SecretFloat` are texts and numbers
like any others for what computes with them and for JSON; what prints them prints stars. A map or a
list is secret through its leaves. Whatever a template function makes of a secret is one
(`hotplate.template.expression`), a stored definition remembers which of its leaves are
(`hotplate.model.definition`), and texts that others wrote are searched for the secrets that are
known (`Secrets`).
"""

from hotplate.secret.in_use import note_secrets, noting_secrets, without_secrets
from hotplate.secret.masking import NO_SECRETS, Secrets, shown
from hotplate.secret.value import (
    STARS,
    SecretFloat,
    SecretInt,
    SecretText,
    holds_secret,
    is_secret,
    plain,
    secret,
    secret_at,
    secret_paths,
)

__all__ = [
    "NO_SECRETS",
    "STARS",
    "SecretFloat",
    "SecretInt",
    "SecretText",
    "Secrets",
    "holds_secret",
    "is_secret",
    "note_secrets",
    "noting_secrets",
    "plain",
    "secret",
    "secret_at",
    "secret_paths",
    "shown",
    "without_secrets",
]
