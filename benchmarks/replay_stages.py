"""What a replay costs per case, stage by stage: python benchmarks/replay_stages.py [CASES] [ROUNDS].

CPU time, the median of the rounds. Makes a suite of its own, with recordings as a stub would have answered, and
scores it with two scorers that only look.
"""

import asyncio
import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from evalci.calls import Call, Reply
from evalci.calls.endpoint import chat_endpoint
from evalci.calls.transport import Transport
from evalci.cassette import Cassette, Redactor, codec, store
from evalci.datasets import read_datasets
from evalci.engine import EngineSettings, Slot, run_cases
from evalci.files import ProjectFiles
from evalci.model import Case, Output, Score, Tokens
from evalci.targets.openai_chat import OpenAIChat
from evalci.tools import Tools

WORDS = ("ledger", "refund", "harbor", "policy", "window", "ticket", "canvas", "morning", "orbit", "signal", "garden")
SETTINGS = OpenAIChat(url="http://127.0.0.1:1/v1", model="stub", params={"temperature": 0})


class Looks:
    """As much work as a scorer can do without doing any."""

    async def score(self, case: Case, output: Output) -> Score:
        return Score.good() if "done" in output.text else Score.missed("wanted done")


def make_suite(folder: Path, cases: int) -> None:
    rng = random.Random(7)
    endpoint = chat_endpoint(SETTINGS.url, SETTINGS.model, params=SETTINGS.params)
    recordings = {}
    with (folder / "cases.jsonl").open("wb") as file:
        for i in range(cases):
            text = f"Q{i:06d} " + " ".join(rng.choice(WORDS) for _ in range(28))
            file.write(orjson.dumps({"id": f"c{i:06d}", "input": text, "expected": "x"}) + b"\n")
            call = Call(endpoint=endpoint, input=text, label="", case_id="")
            reply = Reply(text=f"ok {text} done", latency_ms=3, tokens=Tokens(50, 52))
            line = codec.write_line(call, endpoint.request(text), codec.response_of(reply), redacted=False)
            recordings[call.key] = codec.read_line(line)
    store.write(folder / ".evalci", recordings)


def replay(folder: Path, spent: Callable[[str], None]) -> None:
    redactor = Redactor()
    cassette = Cassette(folder / ".evalci", "replay", redactor)
    tools = Tools(
        folder=folder,
        files=ProjectFiles.around(folder),
        environ={},
        record=cassette.record,
        scrub=redactor.scrub,
        known_secrets=redactor.known,
        transport=Transport(redactor.scrub),
        live=False,
    )
    spent("")
    dataset = read_datasets(["cases.jsonl"], tools)
    spent("read_datasets")
    cassette.open()
    spent("Cassette.open")
    slots = [Slot.of("first", "looks", Looks()), Slot.of("second", "looks", Looks())]
    runs = asyncio.run(run_cases(dataset.cases, SETTINGS.build(tools), slots, EngineSettings(concurrency=16)))
    spent("run_cases")
    assert cassette.counts().hits == len(runs)
    spent("counts")
    assert cassette.digest
    spent("digest")
    cassette.close()


def main(cases: int, rounds: int) -> None:
    gc.set_threshold(100_000, 50, 50)  # as the command line does
    took: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as place:
        make_suite(Path(place), cases)
        for _ in range(rounds):
            last: list[Any] = [time.process_time()]

            def spent(stage: str, last: list[Any] = last) -> None:
                now = time.process_time()
                took.setdefault(stage, []).append(now - last[0])
                last[0] = time.process_time()

            replay(Path(place), spent)
    took.pop("")
    for stage, seconds in took.items():
        print(f"{stage:<14} {statistics.median(seconds) / cases * 1e6:7.2f} µs per case")
    print(f"{'together':<14} {sum(map(statistics.median, took.values())) / cases * 1e6:7.2f} µs per case")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 7)
