"""Plays a model server, in either form, on this machine while a command runs.

usage: serve.py LOG REPLY... -- COMMAND...

The n-th request gets the n-th REPLY: a number (a status without an answer; "429+2"
asks to wait two seconds), a fault (see FAULTS), or a file whose text is the model's
answer. After "again" the reply before it is that of all further requests. "@URL@" in
COMMAND becomes the server's address, "@TLS@" that of the same server behind TLS, under
the certificate that the variable EVO_SERVE_PEM names. LOG gets each request as a line
of JSON. Each request is billed 7 tokens, or as many as the variable EVO_SERVE_BILL says.
Prints how many requests there were and how the command ended; fails if replies
are left.
"""
import http.server
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

log, *rest = sys.argv[1:]
split = rest.index("--")
replies, command = rest[:split], rest[split + 1:]
requests = 0
bill = int(os.environ.get("EVO_SERVE_BILL", "7"))  # tokens of each request


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def answer(self, status, body, headers=(), kind="application/json", length=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        global requests
        body = self.rfile.read(int(self.headers["Content-Length"]))
        requests += 1
        with open(log, "a") as file:
            json.dump({"path": self.path,
                       "key": self.headers.get("Authorization")
                       or self.headers.get("x-api-key"),
                       "headers": {name.lower(): value
                                   for name, value in self.headers.items()
                                   if name.lower().startswith("x-")},
                       "body": json.loads(body)}, file)
            file.write("\n")
        reply = replies[0] if replies else "400"
        if replies[1:] != ["again"]:
            del replies[:1]
        if reply.replace("+", "").isdigit():
            status, _, wait = reply.partition("+")
            # Some servers repeat what they were sent.
            told = "as told, with " + " ".join(self.headers.values())
            return self.answer(int(status),
                               json.dumps({"error": {"message": told}}).encode(),
                               [("Retry-After", wait)] if wait else [])
        text = open(reply).read() if os.path.exists(reply) else ""
        whole = json.dumps({
            "model": "told",
            "usage": {"prompt_tokens": bill, "completion_tokens": 5,
                      "input_tokens": 4, "cache_read_input_tokens": 3,
                      "output_tokens": 5},
            "choices": [{"message": {"role": "assistant", "content": text},
                         "finish_reason": "stop"}],
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn"}).encode()
        self.close_connection = True
        try:
            FAULTS.get(reply, Handler.well)(self, whole)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client has had enough

    def well(self, whole):
        self.answer(200, whole)

    def not_json(self, whole):
        self.answer(200, whole[:20])

    def html(self, whole):
        self.answer(200, b"<html>please log in</html>", kind="text/html")

    def reset(self, whole):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.connection.close()

    def truncated(self, whole):
        self.answer(200, whole[:40], length=len(whole))

    def trickle(self, whole):
        self.answer(200, b"", length=len(whole))
        for byte in whole:
            self.wfile.write(bytes([byte]))
            time.sleep(0.2)

    def no_schema(self, whole):
        message = "response_format of type json_schema is not supported"
        self.answer(400, json.dumps({"error": {"message": message}}).encode())

    def huge(self, whole):
        self.answer(200, b'{"padding": "' + b"x" * (10 << 20) + b'"}')


FAULTS = {"not-json": Handler.not_json, "html": Handler.html,
          "reset": Handler.reset, "truncated": Handler.truncated,
          "trickle": Handler.trickle, "huge": Handler.huge,
          "no-schema": Handler.no_schema}




def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    return server


servers = [serve()]
places = {"@URL@": "http://127.0.0.1:%d/v1" % servers[0].server_port}
if "EVO_SERVE_PEM" in os.environ:
    servers.append(serve())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["EVO_SERVE_PEM"])
    # The handshake belongs to a connection's own thread.
    servers[1].socket = context.wrap_socket(servers[1].socket, server_side=True,
                                            do_handshake_on_connect=False)
    places["@TLS@"] = "https://127.0.0.1:%d/v1" % servers[1].server_port
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()


def placed(word):
    for name, url in places.items():
        word = word.replace(name, url)
    return word


code = subprocess.run([placed(word) for word in command]).returncode
print("%d requests, exit code %d" % (requests, code))
if replies and replies[1:] != ["again"]:
    sys.exit("replies that were not asked for: %s" % replies)
