"""A local model server that misbehaves on purpose, in both forms.

The first part of the path says how, the last one in which form: ".../messages" or
".../chat/completions". It listens on 127.0.0.1 at a free port, and at another with
TLS under a certificate that nobody trusts; prints both ports, and ends when its
standard input is closed, so that it never outlives the test that started it. GET /log answers with what was received so
far as JSON, for tests that check what is sent; GET /forget starts afresh."""

import http.server
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time

counts = {}
received = []
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def good(self, text="hello", stop="stop"):
        parts = text if isinstance(text, list) else [{"type": "text", "text": text}]
        if self.path.split("?")[0].endswith("/messages"):
            words = {"stop": "end_turn", "length": "max_tokens"}
            return json.dumps({
                "type": "message", "role": "assistant", "model": "test-model-1",
                "content": parts, "stop_reason": words.get(stop, stop),
                "usage": {"input_tokens": 3, "cache_read_input_tokens": 8,
                          "cache_creation_input_tokens": 1, "output_tokens": 3}})
        return json.dumps({
            "model": "test-model-1",
            "choices": [{"message": {"role": "assistant", "content": text},
                         "finish_reason": stop}],
            "usage": {"prompt_tokens": 12, "completion_tokens": 3,
                      "prompt_tokens_details": {"cached_tokens": 8}}})

    def key(self):
        return (self.headers.get("x-api-key") or
                self.headers.get("Authorization", "").split(" ")[-1])

    def log_message(self, *arguments):
        pass

    def reply(self, status, body, kind="application/json", headers=(),
              length=None):
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(data)))
        self.send_header("Connection", "close")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def do_GET(self):
        with lock:
            if self.path == "/forget":
                counts.clear()
                received.clear()
            body = json.dumps(received)
        self.reply(200, body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        mode = self.path.split("?")[0].split("/")[1]
        with lock:
            counts[mode] = counts.get(mode, 0) + 1
            count = counts[mode]
            received.append({"path": self.path, "headers": dict(self.headers),
                             "body": body.decode("utf-8", "replace")})
        try:
            getattr(self, "on_" + mode.replace("-", "_"))(count, body)
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = True

    def on_good(self, count, body):
        self.reply(200, self.good())

    def on_count(self, count, body):
        self.reply(200, self.good("answer %d" % count))

    def on_parts(self, count, body):
        self.reply(200, self.good([{"type": "text", "text": "he"},
                              {"type": "text", "text": "llo"}]))

    def on_busy(self, count, body):
        if count == 1:
            self.reply(429, '{"error": {"message": "slow down"}}',
                       headers=[("Retry-After", "1")])
        else:
            self.reply(200, self.good())

    def on_busy_long(self, count, body):
        self.reply(429, '{"error": {"message": "come back tomorrow"}}',
                   headers=[("Retry-After", "86400")])

    def on_quota(self, count, body):
        self.reply(429, '{"error": {"message": "no money", '
                        '"code": "insufficient_quota"}}')

    def on_broken(self, count, body):
        self.reply(500, "<html>internal error</html>", "text/html")

    def on_unauthorized(self, count, body):
        self.reply(401, json.dumps(
            {"error": {"message": "bad key: " + self.key() + " " + "x" * 200}}))

    def on_echo(self, count, body):
        self.reply(200, self.good("you sent " +
                             self.key() + " and " +
                             self.headers.get("X-Team-Token", "")))

    def on_edge_key(self, count, body):
        # The key lies across the place where an excerpt is cut off.
        self.reply(400, "y" * 290 + self.key())

    def on_escaped_key(self, count, body):
        self.reply(400, '{"oops": "%s"}' % self.key().replace("/", "\\/"))

    def on_redirect(self, count, body):
        self.reply(302, "", headers=[("Location", "/good/chat/completions")])

    def on_reset(self, count, body):
        if count > 2:
            self.reply(200, self.good("after resets"))
            return
        self.abort()

    def on_reset_forever(self, count, body):
        self.abort()

    def abort(self):
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def on_truncated(self, count, body):
        data = self.good("x" * 1000)
        self.reply(200, data[:500], length=len(data))

    def on_malformed(self, count, body):
        self.reply(200, self.good()[:-20])

    def on_deep(self, count, body):
        self.reply(200, '{"content": [{"type": "tool_use", "input": {"a": ' + "[" * 300000 + "]" * 300000 + "}}]}")

    def on_html(self, count, body):
        self.reply(200, "<html>please log in</html>", "text/html")

    def on_no_type(self, count, body):
        self.reply(200, self.good(), kind=None)

    def on_no_choices(self, count, body):
        self.reply(200, '{"choices": [], "content": "no list"}')

    def on_null_content(self, count, body):
        self.reply(200, json.dumps({"choices": [
            {"message": {"content": None, "refusal": "I would rather not"},
             "finish_reason": "content_filter"}],
            "content": [], "stop_reason": "refusal"}))

    def on_wrong_types(self, count, body):
        self.reply(200, json.dumps(
            {"choices": [{"message": {"content": 5}}], "usage": "much",
             "content": [5, {"type": "text", "text": 6}], "model": 7}))

    def on_odd_usage(self, count, body):
        self.reply(200, json.dumps(
            {"choices": [{"message": {"content": "x"}}], "model": 7,
             "content": [{"type": "text", "text": "x"}],
             "usage": {"prompt_tokens": -4, "completion_tokens": "many",
                       "input_tokens": -4, "output_tokens": "many"}}))

    def on_error_in_200(self, count, body):
        self.reply(200, '{"error": {"message": "upstream is down"}}')

    def on_empty(self, count, body):
        self.reply(200, "")

    def on_cut_off(self, count, body):
        self.reply(200, self.good(stop="length"))

    def on_huge(self, count, body):
        self.reply(200, self.good("z" * (4 << 20)))

    def on_endless(self, count, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        for _ in range(4096):
            self.wfile.write(chunk)

    def on_header_flood(self, count, body):
        self.send_response(200)
        self.flush_headers()
        for i in range(4000):
            self.wfile.write(b"X-Pad-%d: %s\r\n" % (i, b"p" * 200))
        self.wfile.write(b"\r\n")

    def on_trickle(self, count, body):
        data = self.good("z" * 10000).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        for byte in data:
            self.wfile.write(bytes([byte]))
            time.sleep(0.2)

    def on_thinks(self, count, body):
        # Silent for longer than the stall window, then a whole answer.
        time.sleep(1.5)
        self.reply(200, self.good("thought"))

    def on_silent(self, count, body):
        threading.Event().wait()  # until the server ends

    def on_no_schema(self, count, body):
        sent = json.loads(body)
        if "response_format" in sent or "tools" in sent:
            self.reply(400, '{"error": {"message": '
                            '"this schema is not supported"}}')
        else:
            self.reply(200, self.good("plain"))


    def refused_for(self, param):
        self.reply(400, json.dumps({"error": {
            "message": "a tool of this schema is no response_format",
            "type": "invalid_request_error", "param": param}}))

    def on_schema_by_name(self, count, body):
        sent = json.loads(body)
        for name in ("response_format", "tools"):
            if name in sent:
                return self.refused_for(name + ".schema" if count == 1 else name)
        self.reply(200, self.good("plain"))

    def on_wrong_model(self, count, body):
        self.refused_for("model")

    def on_says_no(self, count, body):
        self.reply(400, '{"error": {"message": "no"}}')

    def on_structured(self, count, body):
        # What the messages form makes of a schema: a tool that was called.
        self.reply(200, self.good([
            {"type": "thinking", "thinking": "not for others"},
            {"type": "tool_use", "name": "answer", "input": {"score": 7}}],
            stop="tool_use"))

    def on_overloaded(self, count, body):
        if count == 1:
            self.reply(529, '{"type": "error", "error": {"type": '
                            '"overloaded_error", "message": "Overloaded"}}')
        else:
            self.reply(200, self.good())

    def on_no_usage(self, count, body):
        answer = json.loads(self.good())
        del answer["usage"]
        self.reply(200, json.dumps(answer))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass


def start(context=None):
    server = Server(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


untrusted = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
untrusted.load_cert_chain(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs",
                 "untrusted.pem"))
print(start(), start(untrusted), flush=True)
sys.stdin.read()
