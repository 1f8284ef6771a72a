"""A scorer in EvalCore's subprocess protocol: short answers score higher."""

import json
import sys

payload = json.load(sys.stdin)
length = len(payload["output"])
score = max(0.0, min(1.0, 1.0 - (length - 80) / 400)) if length > 80 else 1.0
print(json.dumps({"score": round(score, 4), "reason": f"{length} characters"}))
