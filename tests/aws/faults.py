"""A proxy between a client and a server that adds what networks do: latency, refusals, connections that are cut."""

from __future__ import annotations

import asyncio
import contextlib
import threading
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
    faults, is_up = Faults(), threading.Event()
    loop = asyncio.new_event_loop()

    async def run() -> None:
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if (task := asyncio.current_task()) is not None:
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            try:
                with contextlib.suppress(asyncio.CancelledError):
                    await _connect(faults, server, reader, writer)
            finally:
                await _closed(writer)

        listening = await asyncio.start_server(connected, "127.0.0.1", 0)
        faults.address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        is_up.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            listening.close()
            await asyncio.sleep(0)  # connections that were just taken begin, and are among the tasks
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    main = loop.create_task(run())
    thread = threading.Thread(target=lambda: _run_until_cancelled(loop, main), daemon=True)
    thread.start()
    is_up.wait()
    try:
        yield faults
    finally:
        loop.call_soon_threadsafe(main.cancel)
        thread.join()


def _run_until_cancelled(loop: asyncio.AbstractEventLoop, main: asyncio.Task[None]) -> None:
    try:
        loop.run_until_complete(main)
    except asyncio.CancelledError:
        loop.close()


async def _connect(faults: Faults, server: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand requests on, one after the other; clients of S3 wait for an answer before they ask again."""
    target = urlsplit(server)
    upstream_reader, upstream_writer = await asyncio.open_connection(target.hostname, target.port)
    number = 0

    async def answers() -> None:
        while piece := await upstream_reader.read(_CHUNK):
            if number in faults.cut:
                writer.write(piece[:100])
                await writer.drain()
                break
            writer.write(piece)
            await writer.drain()
        writer.close()

    answering = asyncio.create_task(answers())
    try:
        while piece := await reader.read(_CHUNK):
            if piece.startswith((b"GET ", b"PUT ", b"POST ", b"HEAD ")):
                faults.seen += 1
                number = faults.seen
                await asyncio.sleep(faults.latency)
            if number in faults.dropped:
                break
            if number in faults.throttled:
                writer.write(_THROTTLED)
                await writer.drain()
                continue
            upstream_writer.write(piece)
            await upstream_writer.drain()
    except OSError:
        pass  # the client is gone, or the server
    finally:
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)
        await _closed(upstream_writer)


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection for good: a loop that ends before that leaves its socket open."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
