"""A model server on this machine that fails when it is told to.

What it answers follows from what it is asked alone, so that whoever asks a second time is
told the same. It counts what it is asked: who pays, pays for that.
"""
import hashlib
import json
import random
import socket
import struct
import threading
import time

# A bill that has a price, and is below the bound of every request.
BILL = {"prompt_tokens": 100, "completion_tokens": 10}


def answer_to(text):
    """A candidate for the kernel `scale`, a note and a mark: one of them is of use to
    whoever asks. One candidate in four is wrong, so that corrections are asked for."""
    number = int(hashlib.sha256(text.encode()).hexdigest(), 16)
    block = 32 * (1 + number % 16)
    value = "3 * x[i]" if number // 16 % 4 == 0 else "x[i] + x[i]"
    return f"""## wide-{block}
- {block} threads a block.
```cuda
// evo.launch scale<<<ceildiv(N, {block}), {block}>>>(x, y, N)
__global__ void scale(const float *x, float *y, int N) {{
  int i = blockIdx.x * {block} + threadIdx.x;
  if (i < N)
    y[i] = {value};
}}
```
score: 8
"""


def completion(text):
    return {"model": "m", "usage": BILL,
            "choices": [{"message": {"role": "assistant", "content": text},
                         "finish_reason": "stop"}]}


class ModelServer:
    """`plan` names the fault of the n-th request, from 1, or None. `latency` is the longest
    time to an answer, in seconds; `tls` is a context of the server's side."""

    def __init__(self, plan=lambda number: None, latency=0.0, tls=None):
        self.plan, self.latency, self.tls = plan, latency, tls
        self.asked = []  # the hash of each body that arrived whole
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.listener = None
        self.port = 0
        self.open()

    @property
    def url(self):
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}/v1"

    def open(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self.listener = listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()
        if self.plan(1) == "refused" and not self.asked and not self.ended.is_set():
            self.refuse()

    def refuse(self):
        """Nobody is there, until the next request may come through."""
        closing, self.listener = self.listener, None
        if closing:
            closing.shutdown(socket.SHUT_RDWR)
            closing.close()

        def again():
            if not self.ended.wait(0.3):
                with self.lock:
                    self.asked.append("refused")  # its number is gone
                if self.plan(len(self.asked) + 1) != "refused":
                    self.open()
        threading.Thread(target=again, daemon=True).start()

    def close(self):
        self.ended.set()
        if self.listener:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()

    def accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            body = read_request(connection)
            if body is None:
                return
            digest = hashlib.sha256(body).hexdigest()
            with self.lock:
                self.asked.append(digest)
                number = len(self.asked)
            if self.latency:
                time.sleep(random.uniform(0, self.latency))
            if self.plan(number + 1) == "refused":
                self.refuse()  # before the answer, or the next might come through
            fault = self.plan(number)
            text = answer_to(body.decode("utf-8", "replace"))
            if fault in (None, "refused"):
                reply(connection, json.dumps(completion(text)))
            else:
                FAULTS[fault](connection, text, self.ended)
        except OSError:
            pass  # whoever asked has gone
        finally:
            connection.close()


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        if name.lower() == b"expect":
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    while len(body) < length:
        more = connection.recv(65536)
        if not more:
            return None
        body += more
    return body


def reply(connection, body, status=200, kind="application/json", headers=(), length=None):
    data = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status} said", f"Content-Type: {kind}", "Connection: close",
             f"Content-Length: {len(data) if length is None else length}", *headers]
    connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)


def status(code, *headers):
    """A server that quotes what it was sent is not asked to: it says what it always says."""
    return lambda connection, text, ended: reply(
        connection, json.dumps({"error": {"message": f"this is status {code}"}}), code,
        headers=headers)


def reset(connection, text, ended):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def stall(connection, text, ended):
    connection.settimeout(30)
    connection.recv(1)  # until whoever asks has had enough


def trickle(connection, text, ended):
    data = json.dumps(completion(text)).encode()
    reply(connection, b"", length=len(data))
    for byte in data:
        connection.sendall(bytes([byte]))
        if ended.wait(0.2):
            return


def endless(connection, text, ended):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                       b"Connection: close\r\n\r\n{\"padding\": \"")
    while not ended.is_set():
        connection.sendall(b"x" * 65536)


def typed(value):
    return lambda connection, text, ended: reply(connection, json.dumps(value))


FAULTS = {
    "reset": reset,
    "stall": stall,
    "trickle": trickle,
    "429, wait 1 s": status(429, "Retry-After: 1"),
    "429, wait a day": status(429, "Retry-After: 86400"),
    "402": status(402),
    "500": status(500),
    "503": status(503),
    "HTML": lambda connection, text, ended: reply(
        connection, "<html>please log in</html>", kind="text/html"),
    "truncated body": lambda connection, text, ended: reply(
        connection, json.dumps(completion(text))[:60], length=2000),
    "truncated JSON": lambda connection, text, ended: reply(
        connection, json.dumps(completion(text))[:60]),
    "endless JSON": endless,
    "empty body": lambda connection, text, ended: reply(connection, ""),
    "type: a list": typed([1, 2, 3]),
    "type: choices is 5": typed({"choices": 5, "usage": {"prompt_tokens": "many"}}),
    "type: content is null": typed({"choices": [{"message": {"content": None}}],
                                    "usage": {"prompt_tokens": -1}}),
    "type: choices is empty": typed({"choices": []}),
    "redirect": status(302, "Location: http://127.0.0.1:9/elsewhere"),
    "no HTTP": lambda connection, text, ended: connection.sendall(b"SSH-2.0-none\r\n"),
    "TLS where none is due": lambda connection, text, ended: connection.sendall(
        b"\x15\x03\x01\x00\x02\x02\x28"),
}
