"""The API from the other side; used by the command and by others."""

from typing import TYPE_CHECKING

from hotplate.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from hotplate.client.api import Api, Document, StackName, name_of
    from hotplate.client.environment_list import listed_environments
    from hotplate.client.files import Discovered, discover, url_of
    from hotplate.client.happenings import Happening, happening_of
    from hotplate.client.in_process import Application, InProcess
    from hotplate.client.loose_files import Gathered, gather
    from hotplate.client.reader import MOST_BYTES, path_of, read_url
    from hotplate.client.refusal import ProblemAt, Refusal, Unreachable

__all__ = [
    "MOST_BYTES",
    "Api",
    "Application",
    "Discovered",
    "Document",
    "Gathered",
    "Happening",
    "InProcess",
    "ProblemAt",
    "Refusal",
    "StackName",
    "Unreachable",
    "discover",
    "gather",
    "happening_of",
    "listed_environments",
    "name_of",
    "path_of",
    "read_url",
    "url_of",
]

__getattr__ = loaded_on_use(
    __name__,
    {
        "api": ("Api", "Document", "StackName", "name_of"),
        "environment_list": ("listed_environments",),
        "files": ("Discovered", "discover", "url_of"),
        "happenings": ("Happening", "happening_of"),
        "in_process": ("Application", "InProcess"),
        "loose_files": ("Gathered", "gather"),
        "reader": ("MOST_BYTES", "path_of", "read_url"),
        "refusal": ("ProblemAt", "Refusal", "Unreachable"),
    },
)
