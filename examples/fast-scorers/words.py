"""How many of the expected words are there? A scorer in Python."""

import json
import sys

for line in sys.stdin:
    case = json.loads(line)
    words = case["expected"].lower().split()
    found = [word for word in words if word in case["output"].lower()]
    verdict = {"score": len(found) / len(words), "reason": f"{len(found)} of {len(words)} words"}
    print(json.dumps({"id": case["id"], **verdict}), flush=True)
