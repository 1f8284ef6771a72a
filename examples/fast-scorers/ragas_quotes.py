"""A metric of Ragas as a scorer: do the quotations in an answer stand in its context?

Ragas takes seconds to import; here that is paid once. Metrics that ask a model spend their time waiting, so requests
are worked on side by side and answered as they are done.
"""

import asyncio
import json
import sys

answers, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer

from ragas.metrics.collections import QuotedSpansAlignment  # noqa: E402

METRIC = QuotedSpansAlignment()


async def judge(request: dict) -> None:
    try:
        result = await METRIC.ascore(response=request["output"], retrieved_contexts=request.get("context", []))
        verdict = {"score": result.value, "passed": result.value == 1, "reason": result.reason}
    except Exception as exc:
        verdict = {"error": f"{type(exc).__name__}: {exc}"}
    print(json.dumps({"id": request["id"], **verdict}), file=answers, flush=True)


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        while line := await asyncio.to_thread(sys.stdin.readline):
            group.create_task(judge(json.loads(line)))


asyncio.run(main())
