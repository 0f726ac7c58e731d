"""The ciphers. Pure: keys and texts come in, nothing is read or kept.

Texts are sealed with AES-256-GCM and a random nonce. Digests must stay what rows are found by, so
they are encrypted with AES-SIV: equal ones stay equal inside a project, and nobody without the key
can compute one from a guess. Marks, by which texts are looked up, are keyed BLAKE2b.
"""

from binascii import Error as NotBase64
from binascii import a2b_base64, b2a_base64
from hashlib import blake2b
from os import urandom
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV

KEY_BYTES: Final = 32
_NONCE: Final = 12

PREFIX: Final = "$1$"
"""What a sealed text begins with. JSON never does."""


class NotOpened(Exception):
    """The text was not sealed with this key, or for something else."""


class SealingKey:
    """Seals texts for the places that they are bound to. Any thread may use it."""

    __slots__ = ("_cipher", "_encrypt", "_prefix", "id")

    def __init__(self, key_id: str, key: bytes) -> None:
        self.id = key_id
        self._cipher = AESGCM(key)
        self._encrypt = self._cipher.encrypt
        self._prefix = f"{PREFIX}{key_id}$"

    def seal(self, text: str, bound: str, nonce: bytes) -> str:
        """Return the text sealed: ``$1$``, the id of the key, ``$``, base64.

        The nonce is one of `nonces` that nothing else is sealed with.
        """
        sealed = self._encrypt(nonce, text.encode(), bound.encode())
        return self._prefix + b2a_base64(nonce + sealed, newline=False).decode()

    def open(self, body: str, bound: str) -> str:
        """Return the text of what stands behind the second ``$``. Raises NotOpened."""
        try:
            sealed = a2b_base64(body)
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], bound.encode()).decode()
        except (InvalidTag, NotBase64, ValueError):
            raise NotOpened from None


class IndexKey:
    """Encrypts the digests of one project, and marks texts that are looked up."""

    __slots__ = ("_begun", "_key", "_siv")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._begun: dict[str, blake2b] = {}
        self._siv = AESSIV(blake2b(key=key, person=b"digest").digest())

    def encrypt(self, digest: str, bound: str) -> str:
        """Return a digest of 64 hexadecimal digits as another text of 64 characters."""
        sealed = self._siv.encrypt(bytes.fromhex(digest), [bound.encode()])
        return b2a_base64(sealed, newline=False).decode("ascii")

    def decrypt(self, text: str, bound: str) -> str:
        """Return what was encrypted. Raises NotOpened."""
        try:
            return self._siv.decrypt(a2b_base64(text), [bound.encode()]).hex()
        except (InvalidTag, NotBase64, ValueError):
            raise NotOpened from None

    def mark(self, purpose: str, text: str) -> str:
        """Return 64 hexadecimal digits by which a text is found, and only by who has the key."""
        begun = self._begun.get(purpose)
        if begun is None:
            person = purpose.encode()[:16]
            begun = self._begun[purpose] = blake2b(key=self._key, person=person, digest_size=32)
        mark = begun.copy()
        mark.update(text.encode())
        return mark.hexdigest()


def nonces(count: int) -> list[bytes]:
    """Return random nonces, drawn at once: to ask the kernel lets other threads take over.

    Whoever keeps them uses each once, and does not survive a fork.
    """
    drawn = urandom(_NONCE * count)
    return [drawn[at : at + _NONCE] for at in range(0, len(drawn), _NONCE)]


def wrap(master: bytes, key: bytes, bound: str) -> str:
    """Return a data key encrypted with a master key."""
    nonce = urandom(_NONCE)
    wrapped = nonce + AESGCM(master).encrypt(nonce, key, bound.encode())
    return b2a_base64(wrapped, newline=False).decode("ascii")


def unwrap(master: bytes, wrapped: str, bound: str) -> bytes:
    """Return a data key. Raises NotOpened."""
    try:
        sealed = a2b_base64(wrapped)
        return AESGCM(master).decrypt(sealed[:_NONCE], sealed[_NONCE:], bound.encode())
    except (InvalidTag, NotBase64, ValueError):
        raise NotOpened from None
