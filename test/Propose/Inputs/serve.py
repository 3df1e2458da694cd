"""Plays a model server, in either form, on this machine while a command runs.

usage: serve.py LOG REPLY... -- COMMAND...

The n-th request gets the n-th REPLY: a number (a status without an answer),
"not-json" (a body that is cut off), or a file whose text is the model's answer.
After "again" the reply before it is that of all further requests. "@URL@" in
COMMAND becomes the server's address. LOG gets each request as a line of JSON. Each request is billed 7 tokens, or
as many as the variable EVO_SERVE_BILL says.
Prints how many requests there were and how the command ended; fails if replies
are left.
"""
import http.server
import json
import os
import subprocess
import sys
import threading

log, *rest = sys.argv[1:]
split = rest.index("--")
replies, command = rest[:split], rest[split + 1:]
requests = 0
bill = int(os.environ.get("EVO_SERVE_BILL", "7"))  # tokens of each request


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
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
                       "body": json.loads(body)}, file)
            file.write("\n")
        reply = replies[0] if replies else "400"
        if replies[1:] != ["again"]:
            del replies[:1]
        if reply.isdigit():
            return self.answer(int(reply), b'{"error": {"message": "as told"}}')
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
        self.answer(200, whole[:20] if reply == "not-json" else whole)


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d/v1" % server.server_port
code = subprocess.run([word.replace("@URL@", url) for word in command]).returncode
print("%d requests, exit code %d" % (requests, code))
if replies and replies[1:] != ["again"]:
    sys.exit("replies that were not asked for: %s" % replies)
