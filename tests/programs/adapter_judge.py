"""A judge that does what it is told to in the variable JUDGE; each way is wrong but `well` and `strict`."""

import json
import os
import sys
import time
import uuid

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
    case "told-too-much":
        assert set(request) == {"case_id", "prompt", "output", "assertion"}
print(json.dumps(answer))
