#!/usr/bin/env python3
"""A proxy in front of a server, for what goes wrong between: proxy.py BACKEND_PORT LOG [busy N | slow SECONDS]

`busy` answers the first N requests 429 with Retry-After: 1, `slow` lets SECONDS pass before each answer. It prints
its port, and appends a line of JSON to LOG for each request that it got.
"""

import http.client
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

backend, log = int(sys.argv[1]), sys.argv[2]
fault, amount = (sys.argv[3], float(sys.argv[4])) if len(sys.argv) > 3 else (None, 0)
seen, turn = 0, Lock()


class Proxy(BaseHTTPRequestHandler):
    """One request and one answer a connection."""

    def do_POST(self):
        global seen
        at, sent = time.time(), self.rfile.read(int(self.headers["Content-Length"]))
        with turn:
            seen += 1
            number = seen
        if fault == "slow":
            time.sleep(amount)
        if fault == "busy" and number <= amount:
            status, kind, answer = 429, "application/json", b'{"error": {"message": "busy"}}'
        else:
            status, kind, answer = self.forwarded(sent)
        self.record(at, status, sent, answer)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer)))
        if status == 429:
            self.send_header("Retry-After", "1")
        self.end_headers()
        self.wfile.write(answer)

    def forwarded(self, sent):
        headers = {name: self.headers[name] for name in ["Content-Type", "Authorization"] if name in self.headers}
        server = http.client.HTTPConnection("127.0.0.1", backend)
        server.request("POST", self.path, sent, headers)
        answer = server.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read()

    def record(self, at, status, sent, answer):
        body, pieces = json.loads(sent), answer.count(b"data: {")
        line = {"at": at, "status": status, "stream": body.get("stream", False), "pieces": pieces}
        line["format"] = (body.get("response_format") or {}).get("type")
        with turn, open(log, "a") as lines:
            lines.write(json.dumps(line) + "\n")

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass  # The client had no more patience.


server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
