"""A key service that a storage service asks to wrap its keys: Vault's transit protocol, small."""

import base64
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.json_answer import answer_json

_MARK = "vault:v1:"


class KeyService(ThreadingHTTPServer):
    """Wraps keys with one key, which nobody else has.

    Attributes:
        asked: What was asked for, as `encrypt/NAME OF A KEY`.
        locked: Whether it refuses all.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.key = AESGCM(AESGCM.generate_key(256))
        self.asked: list[str] = []
        self.locked = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, what: str, told: dict[str, str]) -> dict[str, str]:
        context = base64.b64decode(told.get("context", ""))
        if what.startswith("encrypt/"):
            nonce, plain = os.urandom(12), base64.b64decode(told["plaintext"])
            wrapped = nonce + self.key.encrypt(nonce, plain, context)
            return {"ciphertext": _MARK + base64.b64encode(wrapped).decode()}
        if what.startswith("decrypt/"):
            wrapped = base64.b64decode(told["ciphertext"].removeprefix(_MARK))
            plain = self.key.decrypt(wrapped[:12], wrapped[12:], context)
            return {"plaintext": base64.b64encode(plain).decode()}
        return {"name": what, "type": "aes256-gcm96"}


class _Handler(BaseHTTPRequestHandler):
    server: KeyService

    def do_GET(self) -> None:
        self.do_PUT()

    def do_PUT(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        what = self.path.removeprefix("/v1/transit/")
        self.server.asked.append(what)
        try:
            status, said = 200, {"data": self.server.answer(what, told)}
        except InvalidTag:
            status, said = 400, {"errors": ["wrapped for something else"]}
        if self.server.locked:
            status, said = 403, {"errors": ["permission denied"]}
        answer_json(self, said, status)

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def key_service() -> Iterator[KeyService]:
    with KeyService() as service:
        thread = threading.Thread(target=service.serve_forever, daemon=True)
        thread.start()
        try:
            yield service
        finally:
            service.shutdown()
            thread.join()
