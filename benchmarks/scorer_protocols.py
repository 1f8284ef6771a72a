"""How many outputs a scorer in Python judges per second: started once for each (protocol v0), or kept running (ndjson).

    python benchmarks/scorer_protocols.py [SECONDS]

Both go through the engine as in a run, at concurrency 1, 2, 4 and 8, in turns. The scorer does next to nothing: what is
measured is how it is reached. "bare loop" is the least that two processes and a pipe could take, one line at a time.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evalci.engine import EngineSettings, Slot, run_cases
from evalci.model import Case, Output
from evalci.pipeline import Request, Surroundings, prepare

WANTED = 200
CONCURRENCIES = (1, 2, 4, 8)
ONCE = """\
import json, sys
case = json.load(sys.stdin)
print(json.dumps({"score": float(case["expected"] in case["output"])}))
"""
MANY = """\
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps({"id": case["id"], "score": float(case["expected"] in case["output"])}), flush=True)
"""
SUITE = """\
targets: {{t: {{type: shell, cmd: "true"}}}}
datasets: [{{file: cases.jsonl}}]
scorers: [{{type: subprocess, cmd: "exec {python} {script}", protocol: {protocol}}}]
"""
CASE = {"input": "How long do refunds take?", "expected": "30 days"}
ANSWER = "Refunds take up to 30 days, counted from the day on which we receive your parcel."


class Answered:
    """A target that always has the same answer."""

    async def ask(self, case: Case, trial: int) -> Output:
        return Output(text=ANSWER)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "once.py").write_text(ONCE)
        (folder / "many.py").write_text(MANY)
        (folder / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
        print(f"{'concurrency':>11}  {'one spawn a case':>16}  {'ndjson':>14}  ratio")
        rates = {}
        for concurrency in CONCURRENCIES:
            spawned = rate(folder, "v0", "once.py", concurrency, seconds)
            kept = rate(folder, "ndjson", "many.py", concurrency, seconds)
            rates[concurrency] = spawned, kept
            print(f"{concurrency:>11}  {spawned:>10.0f} cases/s  {kept:>8.0f} cases/s  {kept / spawned:>5.0f}")
        print(f"{'bare loop':>11}  {'':>18}  {bare_loop(folder, seconds):>8.0f} cases/s")
    spawned, kept = (max(column) for column in zip(*rates.values(), strict=True))
    print(f"best against best: {kept / spawned:.0f} times (wanted: at least {WANTED})")


def rate(folder: Path, protocol: str, script: str, concurrency: int, seconds: float) -> float:
    """Cases per second, the start of the process included, over about so many seconds."""
    cases = 50
    while True:
        took = timed(folder, protocol, script, concurrency, cases)
        if took > seconds / 2:
            return cases / took
        cases = int(cases * min(20.0, max(1.5, seconds / took)))


def timed(folder: Path, protocol: str, script: str, concurrency: int, count: int) -> float:
    config = folder / "evals.yaml"
    config.write_text(SUITE.format(python=sys.executable, script=folder / script, protocol=protocol))
    plan = prepare(Request(config=config), Surroundings(environ=os.environ))
    slots: tuple[Slot, ...] = plan.arms[0].slots
    cases = [Case(id=f"c{i}", **CASE) for i in range(count)]

    async def judge() -> float:
        began = time.perf_counter()
        runs = await run_cases(cases, Answered(), slots, EngineSettings(concurrency=concurrency))
        took = time.perf_counter() - began
        assert all(run.attempts[0].scores[0].passed for run in runs)
        if protocol == "ndjson":
            await slots[0].scorer.close()  # type: ignore[attr-defined]
        return took

    return asyncio.run(judge())


def bare_loop(folder: Path, seconds: float) -> float:
    argv = [sys.executable, str(folder / "many.py")]
    line = json.dumps({**CASE, "id": 1, "output": ANSWER}).encode() + b"\n"
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        count, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds / 2:
            process.stdin.write(line)
            json.loads(process.stdout.readline())
            count += 1
        took = time.perf_counter() - began
        process.stdin.close()
    return count / took


if __name__ == "__main__":
    main()
