"""A judge: one assertion at a time, answered with yes or no by the model."""

import json
import os
import sys
from urllib.request import Request, urlopen

said = json.load(sys.stdin)
question = (
    f"Question: {said['prompt']}\nAnswer: {said['output']}\n\n"
    f"Statement: {said['assertion']['description']}\nIs the statement true? Say Yes or No, and why."
)
body = {
    "model": "local",
    "messages": [{"role": "user", "content": question}],
    "temperature": 0,
    "max_tokens": 40,
    "seed": 1,
    # A model this small would rather talk: the server lets it begin with nothing but a verdict.
    "grammar": 'root ::= ("Yes" | "No") ", because " [^\\n]+',
}
url = f"{os.environ['MODEL_URL']}/chat/completions"
with urlopen(Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})) as response:
    answer = json.load(response)
reply = answer["choices"][0]["message"]["content"].strip()
if not reply.lower().startswith(("yes", "no")):
    # No verdict is no verdict: the call fails, and the run is incomplete.
    sys.exit(f"the model said neither yes nor no: {reply}")
envelope = {
    "status": "passed" if reply.lower().startswith("yes") else "failed",
    "reason": reply,
    "request_id": answer["id"],
    "provider": "llama-cpp-python",
    "token_usage": {
        "input_tokens": answer["usage"]["prompt_tokens"],
        "output_tokens": answer["usage"]["completion_tokens"],
    },
    "cache_hit": False,
}
print(json.dumps(envelope))
