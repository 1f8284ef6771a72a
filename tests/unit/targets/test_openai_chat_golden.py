"""What the chat target sends and reads, kept as golden rows: `tests/golden/targets/openai-compatible/*.json`."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from evalci.cassette import Redactor
from evalci.model import TargetError
from tests.doubles import Network, tools_in
from tests.factories import case
from tests.unit.targets.target_rows import settings

KIND = "openai-compatible"
ROWS = sorted((Path(__file__).parents[2] / "golden" / "targets" / KIND).glob("*.json"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_the_target_sends_and_reads_what_its_golden_row_has(
    path: Path, tmp_path: Path, golden: Callable[[Path, str], None]
) -> None:
    row = json.loads(path.read_text("utf-8"))
    row["want"] = _told(tmp_path, row["given"])
    golden(path, json.dumps(row, indent=2, ensure_ascii=False) + "\n")


def test_there_are_rows_with_an_output_and_rows_with_an_error() -> None:
    wants = [json.loads(path.read_text("utf-8"))["want"] for path in ROWS]
    assert {"output" in want for want in wants} == {True, False}


def _told(folder: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    network = Network([httpx.Response(**{"status_code": 200, **given["response"]})])
    environ = given.get("environ", {})
    redactor = Redactor(list(environ.values()))  # as a run makes it of what `api_key_env` names
    tools = tools_in(folder, client=network.client, environ=environ, redactor=redactor, live=True)

    async def run() -> dict[str, Any]:
        try:
            output = await settings(KIND, given["target"]).build(tools).ask(case("c1", input=given["input"]), 0)
        except TargetError as exc:
            return {"error": str(exc)}
        finally:
            await tools.transport.close()
        told: dict[str, Any] = {"output": output.text}
        if output.tokens is not None:
            told["tokens"] = {"input": output.tokens.input, "output": output.tokens.output}
        if output.cost_usd is not None:
            told["cost_usd"] = output.cost_usd
        return {**told, **({"notes": list(output.notes)} if output.notes else {})}

    return {**asyncio.run(run()), "requests": [_sent(request) for request in network.requests]}


def _sent(request: httpx.Request) -> dict[str, Any]:
    key = request.headers.get("authorization")
    sent = {"method": request.method, "url": str(request.url), "body": json.loads(request.content)}
    return sent if key is None else {**sent, "authorization": key}
