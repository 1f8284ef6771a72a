"""A metric of one's own in DeepEval as a scorer: do the numbers in an answer stand in its context?

Any metric that DeepEval brings is used in the same way. DeepEval takes seconds to import; here that is paid once.
"""

import json
import os
import re
import sys

answers, sys.stdout = sys.stdout, sys.stderr  # whatever a library prints is no answer
os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"

from deepeval.metrics import BaseMetric  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402


class NumbersAreReal(BaseMetric):
    """The part of the numbers in an answer that stand in its context."""

    threshold = 1.0

    def measure(self, test_case: LLMTestCase) -> float:
        known = set(re.findall(r"\d+", " ".join(test_case.context or [])))
        numbers = re.findall(r"\d+", test_case.actual_output or "")
        invented = [number for number in numbers if number not in known]
        self.score = 1 - len(invented) / len(numbers) if numbers else 1.0
        self.reason = f"not in the context: {', '.join(invented)}" if invented else ""
        self.success = self.score >= self.threshold
        return self.score

    def is_successful(self) -> bool:
        return bool(self.success)


def judged(request: dict) -> dict:
    test_case = LLMTestCase(
        input=request["input"],
        actual_output=request["output"],
        expected_output=request["expected"],
        context=request.get("context"),
    )
    metric = NumbersAreReal()
    metric.measure(test_case)
    return {"score": metric.score, "passed": metric.is_successful(), "reason": metric.reason}


for line in sys.stdin:
    request = json.loads(line)
    try:
        verdict = judged(request)
    except Exception as exc:
        verdict = {"error": f"{type(exc).__name__}: {exc}"}
    print(json.dumps({"id": request["id"], **verdict}), file=answers, flush=True)
