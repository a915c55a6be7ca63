"""The language server protocol as it is written: which message is answered, when, and with which error.

pygls finds the functions that answer and knows the shapes; it gives no answer to what it cannot read, and none after
``shutdown``. Here each request gets exactly one. Messages are read in a thread of their own, so that a request is
known to be cancelled when its turn comes.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import os
from collections.abc import Callable, Generator
from concurrent.futures import Future
from enum import Enum
from threading import Lock, Thread
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from abl.lsp.messages import Message, is_id, message_of, reasons
from abl.lsp.wire import bodies

_LOG: Final = logging.getLogger(__name__)


class Stage(Enum):
    """How far a conversation with a client is."""

    NEW = 0
    RUNNING = 1
    SHUT_DOWN = 2


class Protocol(LanguageServerProtocol):
    """Reads messages, answers them in order, and knows when and how the conversation ended."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.stage = Stage.NEW
        self.ended: asyncio.Future[int] | None = None
        self._lock = Lock()
        self._waiting: set[str | int] = set()
        self._cancelled: set[str | int] = set()

    # Reading ----------------------------------------------------------------------------------------------------

    async def converse(self, read: Callable[[int], bytes], write: Callable[[bytes], None]) -> int:
        """Answer until the client says exit (0, or 1 without a ``shutdown`` before it), or is gone (0)."""
        loop = asyncio.get_running_loop()
        self.ended = loop.create_future()
        self.set_writer(_Writer(write, lambda: self.end(0)))
        # A daemon, because it waits for the next byte of a client that may never send one.
        Thread(target=self._listen, args=(read, loop), daemon=True).start()
        return await self.ended

    def end(self, code: int) -> None:
        """The conversation is over."""
        if self.ended is not None and not self.ended.done():
            self.ended.set_result(code)

    def _listen(self, read: Callable[[int], bytes], loop: asyncio.AbstractEventLoop) -> None:
        try:
            try:
                for body in bodies(read):
                    message = message_of(body)
                    self.note(message)
                    loop.call_soon_threadsafe(self.answer, message)
            finally:
                loop.call_soon_threadsafe(self.end, 0)
        except (OSError, RuntimeError) as error:  # the input broke, or the loop is closed
            _LOG.debug("reading ended: %s", error)

    def note(self, message: Message | JsonRpcException) -> None:
        """Remember which requests wait, and which of them the client no longer wants; before their turn comes."""
        if not isinstance(message, dict):
            return
        if message.get("method") == types.CANCEL_REQUEST:
            params = message.get("params")
            number = params.get("id") if isinstance(params, dict) else None
            with self._lock:
                if is_id(number) and number in self._waiting:
                    self._cancelled.add(number)
        elif "method" in message and is_id(message.get("id")):
            with self._lock:
                self._waiting.add(message["id"])

    # Answering --------------------------------------------------------------------------------------------------

    def answer(self, message: Message | JsonRpcException) -> None:
        """Handle one message. Never raises."""
        try:
            if isinstance(message, JsonRpcException):
                self._refuse(None, message)
            elif "method" not in message and ("result" in message or "error" in message):
                self._take_response(message)
            elif "id" in message:
                self._answer_request(message)
            else:
                self._take_notification(message)
        except Exception:  # whatever a message holds, the server continues
            _LOG.exception("message %.200r", message)

    def _answer_request(self, message: Message) -> None:
        number = message["id"] if is_id(message["id"]) else ""
        try:
            self._look_at(message, number)
            method: str = message["method"]
            self._get_handler(method)
            if not self._is_request(method):
                raise JsonRpcMethodNotFound.of(method)
            params = self._structured(message)
        except JsonRpcException as error:
            self._refuse(message["id"] if is_id(message["id"]) else None, error)
            return
        contextvars.copy_context().run(self._handle_request, number, method, params)
        if method == types.INITIALIZE and self._workspace is not None:
            self.stage = Stage.RUNNING
        elif method == types.SHUTDOWN:
            self.stage = Stage.SHUT_DOWN

    def _look_at(self, message: Message, number: str | int) -> None:
        """Raises if the server cannot take any request now."""
        with self._lock:
            cancelled = number in self._cancelled
            self._waiting.discard(number)
            self._cancelled.discard(number)
        method = message.get("method")
        if not is_id(message["id"]) or message.get("jsonrpc") != self.VERSION or not isinstance(method, str):
            raise JsonRpcInvalidRequest('A request has jsonrpc "2.0", an id and a method')
        if self.stage is Stage.SHUT_DOWN:
            raise JsonRpcInvalidRequest("The server was shut down")
        if self.stage is Stage.NEW and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("The first request is initialize")
        if self.stage is Stage.RUNNING and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("The server is initialized already")
        if cancelled:
            raise JsonRpcRequestCancelled(f"Request {number!r} was cancelled")

    def _take_notification(self, message: Message) -> None:
        method = message.get("method")
        if message.get("jsonrpc") != self.VERSION or not isinstance(method, str):
            self._refuse(None, JsonRpcInvalidRequest('A message has jsonrpc "2.0" and a method, a result or an error'))
        elif method == types.EXIT:
            self.end(0 if self.stage is Stage.SHUT_DOWN else 1)
        elif self.stage is Stage.RUNNING and not self._is_request(method):
            try:
                self._get_handler(method)
                params = self._structured(message)
            except JsonRpcMethodNotFound:
                return
            except JsonRpcException as error:
                _LOG.error("%s: %s", method, error)
                return
            contextvars.copy_context().run(self._handle_notification, method, params)

    def _take_response(self, message: Message) -> None:
        """An answer to what the server asked; it asks for nothing that an answer would change."""
        future = self._request_futures.pop(message["id"], None) if is_id(message.get("id")) else None
        if future is not None and not future.done():
            future.set_result(None)

    def _is_request(self, method: str) -> bool:
        """True for what the protocol answers; the rest are notifications, or unknown."""
        return self.get_result_type(method) is not None

    def _structured(self, message: Message) -> Any:
        """The parameters in their class; raises JsonRpcInvalidParams that says what cannot be read."""
        kind = self.get_message_type(message["method"])
        if kind is None:
            return message.get("params")
        try:
            return getattr(self._converter.structure(message, kind), "params", None)
        except Exception as error:
            raise JsonRpcInvalidParams(f"Invalid params: {reasons(error)}") from error

    def _send_data(self, data: Any) -> None:
        """Write a message; an answer that cannot be written becomes an error, so that nobody waits for it."""
        try:
            body = json.dumps(data, default=self._serialize_message).encode()
        except Exception as error:
            _LOG.exception("message %.200r", data)
            if not isinstance(data, dict) and not hasattr(data, "method"):
                self._refuse(getattr(data, "id", None), JsonRpcInternalError(str(error)))
            return
        if self.writer is not None:
            self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def _refuse(self, number: str | int | None, error: JsonRpcException) -> None:
        self._send_data({"jsonrpc": self.VERSION, "id": number, "error": error.to_response_error()})

    def _get_handler(self, feature_name: str) -> Callable[[Any], Any]:
        """A function for requests and notifications; raises JsonRpcMethodNotFound."""
        handler = self.fm.builtin_features.get(feature_name) or self.fm.features.get(feature_name)
        if handler is None:
            raise JsonRpcMethodNotFound.of(feature_name)
        return handler  # type: ignore[no-any-return]

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        """Refusals are answers like others: nothing of them is written to standard error."""
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._refuse(msg_id, error)
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    # Texts and folders, which the server keeps itself -----------------------------------------------------------

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        """The server's function and nothing else."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        """The server's function and nothing else."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        """The server's function and nothing else."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(self, params: Any) -> Generator[Any, Any, None]:
        """The server's function and nothing else."""
        yield self.fm.features[types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS], (params,), None


class _Writer:
    """What pygls writes to; a client that is gone ends the conversation."""

    def __init__(self, write: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._write = write
        self._lost = lost

    def write(self, data: bytes) -> None:
        """Send a message."""
        try:
            self._write(data)
        except OSError:
            self._lost()

    def close(self) -> None:
        """Does nothing: standard output stays open until the process ends."""


def write_all(descriptor: int) -> Callable[[bytes], None]:
    """A function that writes all of its bytes to a file descriptor."""

    def write(data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]

    return write
