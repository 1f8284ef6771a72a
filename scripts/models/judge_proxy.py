"""POST /v1/chat/completions on loopback: the chat server's answers, made fit for a judge.

    python judge_proxy.py --chat http://127.0.0.1:8077/v1 --port 8079

A judge call names a model and a prompt and nothing else. So small a model then rambles instead of grading: here the
call is made greedy and short, and llama.cpp's grammar lets it write a verdict and nothing else. The verdict is its own.
"""

import argparse
import json
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

VERDICT = r"""
root   ::= "{\"score\": " score ", \"reason\": \"" reason "\"}"
score  ::= "0.0" | "0.1" | "0.2" | "0.3" | "0.4" | "0.5" | "0.6" | "0.7" | "0.8" | "0.9" | "1.0"
reason ::= [^"\\\n]{1,160}
"""
FIXED = {"temperature": 0, "seed": 7, "max_tokens": 120, "grammar": VERDICT}


def forward(chat: str, body: bytes) -> tuple[int, bytes]:
    """The chat server's status and reply to the request with what is fixed put in."""
    request = urllib.request.Request(
        f"{chat}/chat/completions",
        json.dumps({**json.loads(body), **FIXED}).encode(),
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as exc:
        return exc.code, exc.read()


def handler(chat: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, b'{"object": "list", "data": []}')

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._send(*forward(chat, body))

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chat", default="http://127.0.0.1:8077/v1", help="the chat server")
    parser.add_argument("--port", type=int, default=8079)
    options = parser.parse_args()
    HTTPServer(("127.0.0.1", options.port), handler(options.chat)).serve_forever()


if __name__ == "__main__":
    main()
