"""Waiting for events in coroutines."""

import asyncio
from contextlib import suppress
from typing import Any

from situ._native import Event

__all__ = ["future_of"]


def future_of(event: Event) -> asyncio.Future[None]:
    """Return a future of the running loop that is done when the event is."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()

    def tell(done: Event) -> None:
        # Called on another thread; only this call of the loop is allowed from there. A loop that
        # was closed meanwhile has nobody left who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, future, done)

    if event.is_complete:
        _settle(future, event)
    else:
        event.add_done_callback(tell)
    return future


def _settle(future: asyncio.Future[Any], event: Event) -> None:
    if future.done():
        return
    try:
        event.wait()
    except Exception as error:
        future.set_exception(error)
    else:
        future.set_result(None)
