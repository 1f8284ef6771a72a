"""A judge that does what it is told to in the variable JUDGE; each way is wrong but `well` and `strict`."""

import json
import os
import sys
import time
import uuid
from pathlib import Path

request = json.load(sys.stdin)
how = os.environ.get("JUDGE", "well")
answer = {
    "status": "passed" if "care" in request["output"] or how == "lenient" else "failed",
    "reason": f"held against {request['assertion']['id']}",
    "request_id": uuid.uuid4().hex,
    "provider": "double",
    "token_usage": {"input_tokens": 5, "output_tokens": 1},
    "cache_hit": False,
}
match how:
    case "hangs":
        time.sleep(60)
    case "exits-3":
        sys.exit(3)
    case "score":
        del answer["status"]
        answer["score"] = 0.9
    case "no-reason":
        answer["reason"] = " "
    case "same-id":
        answer["request_id"] = "always-this"
    case "cached":
        answer["cache_hit"] = True
    case "fenced":
        sys.exit(print(f"```json\n{json.dumps(answer)}\n```"))
    case "cached-on-two":
        answer["cache_hit"] = request["output"] == "two"
    case "id-of-the-output":
        answer["request_id"] = f"id of {request['output']}"
    case "tells-secret":
        answer["reason"] = f"the key is {os.environ['PROVIDER_API_KEY']}"
        print(f"debug {os.environ['PROVIDER_API_KEY']}", file=sys.stderr)
    case "dumps":
        seen = {"stdin": request, "arguments": sys.argv, "environment": dict(os.environ), "files": os.listdir()}
        answer["reason"] = json.dumps({**seen, "cwd": os.getcwd()})
        Path("left-behind").write_text("by an earlier call")
print(json.dumps(answer))
