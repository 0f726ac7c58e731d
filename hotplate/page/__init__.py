"""The web page: the built files, and the few questions that it has before anyone has signed in."""

from hotplate.page.files import PageFiles, wants_page
from hotplate.page.session import SignedIn, SignIn, SignInRefused, session_pages

__all__ = ["PageFiles", "SignIn", "SignInRefused", "SignedIn", "session_pages", "wants_page"]
