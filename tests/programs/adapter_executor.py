"""An executor that does what it is told to in the variable BEHAVE; each way is wrong but `well`."""

import hashlib
import json
import os
import sys
import time
import uuid
from pathlib import Path

request = json.load(sys.stdin)
how = os.environ.get("BEHAVE", "well")
archive = request["plugin_archive"]
answer = {
    "request_id": uuid.uuid4().hex,
    "provider": "double",
    "token_usage": {"input_tokens": 3, "output_tokens": 2},
    "loaded_plugin_sha256": hashlib.sha256(Path(archive).read_bytes()).hexdigest() if archive else None,
    "clean_control": archive is None,
    "cache_hit": False,
}
if request["mode"] == "behavior":
    answer["output"] = f"an answer to {request['prompt']}" + (" with care" if archive else "")
else:
    answer["selected_skill"] = "careful"

match how:
    case "hangs":
        time.sleep(60)
    case "exits-3":
        sys.exit(3)
    case "killed":
        os.kill(os.getpid(), 9)
    case "plain-text":
        sys.exit(print("Here is the answer."))
    case "empty":
        sys.exit()
    case "logs-first":
        print("loading...")
    case "fenced":
        sys.exit(print(f"```json\n{json.dumps(answer)}\n```"))
    case "twice":
        print(json.dumps(answer))
    case "no-provider":
        del answer["provider"]
    case "no-id":
        del answer["request_id"]
    case "same-id":
        answer["request_id"] = "always-this"
    case "cached":
        answer["cache_hit"] = True
    case "no-cache-word":
        del answer["cache_hit"]
    case "wrong-archive":
        answer["loaded_plugin_sha256"] = "d" * 64 if archive else None
    case "dirty-control":
        answer["clean_control"] = False
    case "negative-tokens":
        answer["token_usage"]["input_tokens"] = -1
    case "no-usage":
        del answer["token_usage"]
    case "no-output":
        answer.pop("output", None)
    case "tells-secret":
        answer["output"] = f"the key is {os.environ['PROVIDER_API_KEY']}"
        print(f"debug {os.environ['PROVIDER_API_KEY']}", file=sys.stderr)
    case "dumps":
        seen = {
            "environment": dict(os.environ),
            "arguments": sys.argv,
            "stdin": request,
            "files": sorted(
                str(path)
                for place in (
                    ".",
                    *(os.environ[name] for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR")),
                )
                for path in Path(place).rglob("*")
            ),
            "beside_the_archive": sorted(os.listdir(Path(archive).parent)) if archive else None,
            "cwd": os.getcwd(),
        }
        answer["output"] = json.dumps(seen)
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"):
            Path(os.environ[name], "left-behind").write_text("by an earlier call")
        Path("left-behind").write_text("by an earlier call")
print(json.dumps(answer))
