"""POST /v1/embeddings on loopback, in OpenAI's shape, answered by all-MiniLM-L6-v2.

python embeddings_server.py MODEL_FOLDER --port 8078
"""

import argparse
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from minilm import MiniLM

MODEL = "all-minilm-l6-v2"


def answer(model: MiniLM, request: dict) -> dict:
    """The reply to one embeddings request: a vector for each text, in order."""
    texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
    embedded = [model.embed(text) for text in texts]
    tokens = sum(count for _, count in embedded)
    return {
        "object": "list",
        "model": MODEL,
        "data": [
            {"object": "embedding", "index": index, "embedding": vector} for index, (vector, _) in enumerate(embedded)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def handler(model: MiniLM) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path != "/v1/embeddings":
                self._send(404, {"error": {"message": f"no such path: {self.path}"}})
                return
            try:
                reply = answer(model, json.loads(body))
            except (ValueError, KeyError, TypeError) as exc:
                self._send(400, {"error": {"message": f"not an embeddings request: {exc!r}"}})
                return
            self._send(200, reply)

        def _send(self, status: int, payload: dict) -> None:
            body = json.dumps(payload).encode()
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
    parser.add_argument("folder", type=Path, help="the folder that holds model.safetensors and tokenizer.json")
    parser.add_argument("--port", type=int, default=8078)
    options = parser.parse_args()
    HTTPServer(("127.0.0.1", options.port), handler(MiniLM(options.folder))).serve_forever()


if __name__ == "__main__":
    main()
