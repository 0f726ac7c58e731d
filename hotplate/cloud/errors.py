"""What can go wrong with a call to a cloud: one small family.

Each error has the service's own words, its code and the id of the request, by which the cloud's
operator finds it in the logs.
"""

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any, ClassVar, Final


class CloudError(Exception):
    """A cloud did not do what it was asked. The text has all there is to know.

    ``words`` are the service's own. ``in_doubt`` says that the request may have had its effect all
    the same: check that before it is made again.
    """

    kind: ClassVar[str] = "failed"

    def __init__(
        self,
        words: str,
        service: str = "",
        status: int = 0,
        request_id: str = "",
        in_doubt: bool = False,
        fault: str = "",
    ) -> None:
        self.words = words
        self.service = service
        self.status = status
        self.request_id = request_id
        self.in_doubt = in_doubt
        self.fault = fault
        """The service's name for what happened, such as IpAddressInUse; empty if it has none."""
        super().__init__(self._text())

    def _text(self) -> str:
        details = [f"HTTP {self.status}" if self.status else "", self.fault]
        details += [f"request {self.request_id}" if self.request_id else ""]
        known = ", ".join(filter(None, details))
        text = f"{self.service}: {self.words}" if self.service else self.words
        return f"{text} ({known})" if known else text


class BadConfiguration(CloudError):
    """What clouds.yaml or the OS_* variables say of the cloud cannot be used."""


class Unauthenticated(CloudError):
    """Keystone does not accept the credentials, or a service a fresh token."""


class NoEndpoint(CloudError):
    """The catalogue has no such service, or not in the region or for the interface."""


class Unsupported(CloudError):
    """The service is too old or too new: it does not speak a microversion that is needed."""


class BadRequest(CloudError):
    """The service says that the request makes no sense: 400, and codes that have no own class."""


class Forbidden(CloudError):
    """The user may not do this."""


class NotFound(CloudError):
    """There is no such object."""


class Conflict(CloudError):
    """The object's state does not allow it, or another one has what is asked for."""


class OverQuota(CloudError):
    """A quota is used up; ``quota`` names it, if the service does."""

    @property
    def quota(self) -> str:
        """The names of the quotas that are used up, as the service writes them."""
        for pattern in _QUOTAS:
            if found := pattern.search(self.words):
                return found[1].replace("'", "").strip()
        return ""


class ServiceFailed(CloudError):
    """The service has an error of its own: 500, or an answer that cannot be read."""


class Unavailable(CloudError):
    """The service does not answer, or says that it cannot now. It may be able later."""


_QUOTAS: Final = (
    re.compile(r"Quota exceeded for resources: \[(.+?)\]"),  # Neutron
    re.compile(r"Quota exceeded for (.+?):"),  # Nova
    re.compile(r"exceeded for quota '(.+?)'"),  # Cinder, by number
    re.compile(r"exceeds allowed (\w+) quota"),  # Cinder, by size
    re.compile(r"Quota has been met for resources: (.+?)\.?$"),  # Octavia
    re.compile(r"^Quota exceeded for (\w+)"),  # Designate
)
_OVER_QUOTA: Final = re.compile(r"quota\b.*\b(exceed|met)|exceed.*\bquota\b", re.IGNORECASE)
_STATUSES: Final[Mapping[int, type[CloudError]]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    406: Unsupported,
    408: Unavailable,
    409: Conflict,
    410: NotFound,
    425: Unavailable,
    429: Unavailable,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_KEYSTONE_AWAY: Final = "The Keystone service is temporarily unavailable"
"""What keystonemiddleware says, which stands before the services."""

_MAY_MEAN_QUOTA: Final = (403, 409, 413)
_LONGEST_WORDS: Final = 4000


def refusal(
    service: str, status: int, headers: Mapping[str, str], body: bytes, in_doubt: bool = False
) -> CloudError:
    """Return the error that an answer of a service means. ``headers`` have lower-case names."""
    words, fault = words_of(body)
    words = words[:_LONGEST_WORDS] or f"answered {status} without a word"
    kind = _STATUSES.get(status, BadRequest if status < 500 else ServiceFailed)
    if status in _MAY_MEAN_QUOTA and (
        status == 413 or "quota" in fault.lower() or _OVER_QUOTA.search(words)
    ):
        kind = OverQuota
    doubt = in_doubt and status >= 500 and not is_keystone_away(status, words)
    return kind(words, service, status, request_id(headers), doubt, fault)


def is_keystone_away(status: int, words: str) -> bool:
    """Tell whether a service could not ask Keystone whose a token is: it has done nothing."""
    return status == 503 and _KEYSTONE_AWAY in words


def request_id(headers: Mapping[str, str]) -> str:
    """Return the id that a service gave to a request; empty if it gave none."""
    return (
        headers.get("x-openstack-request-id")
        or headers.get("x-compute-request-id")
        or headers.get("x-trans-id")
        or ""
    )


def words_of(body: bytes) -> tuple[str, str]:
    """Return the words of a refusal and the name of the fault, however a service writes them."""
    text = body.decode(errors="replace").strip()
    try:
        document = json.loads(text) if text[:1] in ("{", "[") else None
    except ValueError:
        document = None
    if isinstance(document, Mapping):
        words, fault = _said(document)
        if "<br" in words:  # Glance writes for a page even then
            words = " ".join(re.sub(r"<br\s*/?>", " ", words).split())
        return words, fault
    # Glance and Swift, and proxies in front of any service, answer with a page.
    page = re.sub(
        r"<(title|script|style)[^>]*>.*?</\1>", " ", text, flags=re.DOTALL | re.IGNORECASE
    )
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split()), ""


def _said(document: Mapping[str, Any]) -> tuple[str, str]:
    errors = document.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], Mapping):  # Placement
        return _text(errors[0], "detail", "title"), ""
    if "faultstring" in document:  # Octavia, Mistral
        return str(document["faultstring"]), ""
    if "message" in document or "description" in document:  # Designate; Barbican
        words = _text(document, "message", "description", "title")
        if isinstance(errors, Mapping) and errors.get("errors"):
            words += "".join(f"; {_detail(each)}" for each in errors["errors"])
        return words or _text(document, "type"), str(document.get("type") or "")
    # Nova, Cinder, Keystone, Neutron; Heat, which has general words before its own.
    for name, inner in document.items():
        if isinstance(inner, Mapping) and "message" in inner:
            detail = inner.get("detail")
            words = " ".join(filter(None, (str(inner["message"]), _plain(detail))))
            title = inner.get("title") if name == "error" else None
            fault = str(inner.get("type") or "")
            return words or str(title or name), fault
    texts = (inner for inner in document.values() if isinstance(inner, str))
    return next(texts, None) or json.dumps(document), ""


def _text(document: Mapping[str, Any], *names: str) -> str:
    return next((str(document[name]) for name in names if document.get(name)), "")


def _detail(error: Any) -> str:
    if isinstance(error, Mapping):
        where = ".".join(map(str, error.get("path") or ()))
        return f"{where}: {error.get('message')}" if where else str(error.get("message"))
    return str(error)


def _plain(detail: Any) -> str:
    return detail if isinstance(detail, str) else ""
