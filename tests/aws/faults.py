"""A proxy between a client and a server that adds what networks do: latency, refusals, connections that are cut."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
_THROTTLED = b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s" % (
    len(_SLOW_DOWN),
    _SLOW_DOWN,
)
_CHUNK = 1 << 16


@dataclass
class Faults:
    """What happens on the way; may be changed while the proxy runs. Requests are counted from 1."""

    latency: float = 0.0
    """Seconds by which every request is late."""
    throttled: range = range(0)
    """The requests that are answered with 503 SlowDown."""
    cut: range = range(0)
    """The requests whose answer ends after a hundred bytes."""
    dropped: range = range(0)
    """The requests that are never answered: the connection is closed."""
    seen: int = field(default=0, init=False)
    address: str = field(default="", init=False)


@contextlib.contextmanager
def fault_proxy(server: str) -> Iterator[Faults]:
    """Run a proxy to a server, and yield what it does; its ``address`` takes the server's place."""
    target = urlsplit(server)
    with _Proxy((target.hostname or "", target.port or 80)) as proxy:
        accepting = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05})
        accepting.start()
        try:
            yield proxy.faults
        finally:
            proxy.shutdown()
            accepting.join()
            proxy.hang_up()


class _Proxy(socketserver.ThreadingTCPServer):
    """Two threads a connection, so that each socket has an owner that closes it; leaving waits for all of them."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, server: tuple[str, int]) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.server = server
        self.faults = Faults()
        self.faults.address = f"http://127.0.0.1:{self.server_address[1]}"
        self._open: set[socket.socket] = set()
        self._is_ending = False
        self._lock = threading.Lock()

    def next_request(self) -> int:
        with self._lock:
            self.faults.seen += 1
            return self.faults.seen

    @contextlib.contextmanager
    def watched(self, connection: socket.socket) -> Iterator[None]:
        """Let ``hang_up`` end what waits for this connection."""
        with self._lock:
            self._open.add(connection)
            if self._is_ending:
                _hang_up(connection)
        try:
            yield
        finally:
            with self._lock:
                self._open.discard(connection)

    def hang_up(self) -> None:
        with self._lock:
            self._is_ending = True
            for connection in self._open:
                _hang_up(connection)


class _Connection(socketserver.BaseRequestHandler):
    """Hands requests on, one after the other; clients of S3 wait for an answer before they ask again."""

    server: _Proxy
    request: socket.socket
    number = 0

    def handle(self) -> None:
        # Either side may be gone at any moment.
        with (
            contextlib.suppress(OSError),
            self.server.watched(self.request),
            socket.create_connection(self.server.server) as upstream,
            self.server.watched(upstream),
        ):
            answering = threading.Thread(target=self._answer, args=(upstream,))
            answering.start()
            try:
                self._ask(upstream)
            finally:
                _hang_up(upstream)
                answering.join()

    def _ask(self, upstream: socket.socket) -> None:
        faults = self.server.faults
        while piece := self.request.recv(_CHUNK):
            if piece.startswith((b"GET ", b"PUT ", b"POST ", b"HEAD ")):
                self.number = self.server.next_request()
                time.sleep(faults.latency)
            if self.number in faults.dropped:
                return
            if self.number in faults.throttled:
                self.request.sendall(_THROTTLED)
            else:
                upstream.sendall(piece)

    def _answer(self, upstream: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := upstream.recv(_CHUNK):
                if self.number in self.server.faults.cut:
                    self.request.sendall(piece[:100])
                    break
                self.request.sendall(piece)
        _hang_up(self.request)


def _hang_up(connection: socket.socket) -> None:
    """End both directions, which wakes the threads that wait for them; closing is the owner's."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
