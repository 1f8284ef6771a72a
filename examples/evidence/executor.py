"""An executor: under treatment the skill of the archive goes before the prompt, under control nothing does."""

import hashlib
import json
import os
import sys
import tarfile
from pathlib import Path
from urllib.request import Request, urlopen


def skill_of(archive: str) -> str:
    """The text of the one skill, read out of the archive without unpacking it."""
    with tarfile.open(archive) as tar:
        member = next(member for member in tar if member.name.endswith("/SKILL.md"))
        return tar.extractfile(member).read().decode().split("---\n", 2)[2].strip()


def ask(messages: list[dict[str, str]]) -> dict:
    body = {"model": "local", "messages": messages, "temperature": 0, "max_tokens": 80, "seed": 1}
    url = f"{os.environ['MODEL_URL']}/chat/completions"
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        return json.load(answer)


said = json.load(sys.stdin)
archive = said["plugin_archive"]
messages = [{"role": "system", "content": skill_of(archive)}] if archive else []
answer = ask([*messages, {"role": "user", "content": said["prompt"]}])
envelope = {
    "output": answer["choices"][0]["message"]["content"],
    "request_id": answer["id"],
    "provider": "llama-cpp-python",
    "token_usage": {
        "input_tokens": answer["usage"]["prompt_tokens"],
        "output_tokens": answer["usage"]["completion_tokens"],
    },
    "loaded_plugin_sha256": hashlib.sha256(Path(archive).read_bytes()).hexdigest() if archive else None,
    # Nothing but the prompt was sent: this adapter looks for skills in no other place.
    "clean_control": archive is None,
    "cache_hit": False,
}
print(json.dumps(envelope))
