"""Serves the page and the state of a film on 127.0.0.1, and nowhere else.

The page polls `/state.json`; what is in it reaches the page as text only. Whoever asks for another host is refused, so
that no page of elsewhere reads along.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
HERE = Path(__file__).parent
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
STATE = "/state.json"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@dataclass(slots=True)
class PageServer:
    """Listens from `with` on. `port` 0: any free one, known afterwards. Raises OSError where it cannot listen."""

    port: int = 0
    state: bytes = b"{}"
    _server: ThreadingHTTPServer | None = None
    _thread: threading.Thread | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.port}/"

    def show(self, state: dict[str, Any]) -> None:
        """What is asked for from now on gets this state."""
        self.state = json.dumps(state).encode()

    def __enter__(self) -> PageServer:
        page = self

        class Handler(_Handler):
            """Knows the page that it serves."""

            served = page

        self._server = ThreadingHTTPServer((HOST, self.port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        assert self._thread is not None
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD of four paths."""

    served: PageServer
    server_version, sys_version = "gpu-autoscaler", ""
    timeout = 10.0

    def do_GET(self) -> None:
        """The answer with its body."""
        self._answer(body=True)

    def do_HEAD(self) -> None:
        """The answer without its body."""
        self._answer(body=False)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: the terminal shows the demo."""

    def _answer(self, *, body: bool) -> None:
        path = self.path.split("?", 1)[0]
        port = self.served.port
        status, kind, data = 404, "text/plain; charset=utf-8", b"not found\n"
        if self.headers.get("Host", "") not in (f"{HOST}:{port}", f"localhost:{port}"):
            status, data = 403, b"this page is for this machine only\n"
        elif path == STATE:
            status, kind, data = 200, "application/json", self.served.state
        elif path in FILES:
            name, kind = FILES[path]
            status, data = 200, (HERE / name).read_bytes()
        self.send_response(status)
        for key, value in HEADERS.items():
            self.send_header(key, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)
