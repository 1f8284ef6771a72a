"""Judge line after line by protocol ndjson; the output says what to do. The reason of a score is the process's number.

Every request is noted in the file that is named first, if one is.
"""

import json
import os
import sys
import time

held = []


def answer(request, **fields):
    print(json.dumps({"id": request["id"], "score": 1, "reason": str(os.getpid()), **fields}), flush=True)


for line in sys.stdin:
    request = json.loads(line)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "a") as log:
            log.write(f"{os.getpid()} {request['output']}\n")
    match request["output"].split():
        case ["boom"]:
            print("it went boom", file=sys.stderr)
            sys.exit(3)
        case ["leave"]:
            sys.exit(0)
        case ["shut"]:
            os.close(1)
            time.sleep(60)
        case ["hang"]:
            time.sleep(60)
        case ["noise"]:
            print("Loading the model", flush=True)
            answer(request)
        case ["noise-after"]:
            answer(request)
            print("Done", flush=True)
        case ["once"]:
            answer(request)
            sys.exit(0)
        case ["blank"]:
            print("\n \n", flush=True)
            answer(request)
        case ["twice"]:
            answer(request)
            answer(request)
        case ["twice-with", word]:
            answer(request)
            print(f"Done with {word}", flush=True)
        case ["hold"]:
            held.append(request)
        case ["release"]:
            answer(request, reason="released")
            for each in reversed(held):
                answer(each, reason="held")
        case ["outside"]:
            answer(request, score=2)
        case ["cannot"]:
            print(json.dumps({"id": request["id"], "error": "no such metric"}), flush=True)
        case ["long"]:
            answer(request, reason="r" * 300_000)
        case ["floods"]:
            os.write(2, b"e" * 300_000)
            answer(request)
        case ["child"]:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
            answer(request)
        case ["say", *words]:
            print(" ".join(words).replace("ID", str(request["id"])), flush=True)
        case _:
            answer(request, reason=f"{os.getpid()} {request['output']}")
