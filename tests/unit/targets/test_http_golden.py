"""What the http target sends and reads, kept as golden rows: `tests/golden/targets/http/*.json`."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from evalci.config.decode import Decoder
from evalci.config.yaml_nodes import read_yaml
from evalci.model import TargetError
from evalci.targets.http import Http
from tests.doubles import Network, tools_in
from tests.factories import case

ROWS = sorted((Path(__file__).parents[2] / "golden" / "targets" / "http").glob("*.json"))
# What the HTTP library adds of its own.
OF_THE_LIBRARY = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-length"}


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
    tools = tools_in(folder, client=network.client, environ=given.get("environ"), live=True)

    async def run() -> dict[str, Any]:
        try:
            output = await _settings(given["target"]).build(tools).ask(case("c1", input=given["input"]), 0)
        except TargetError as exc:
            return {"error": str(exc)}
        finally:
            await tools.transport.close()
        return {"output": output.text}

    return {**asyncio.run(run()), "requests": [_sent(request) for request in network.requests]}


def _settings(given: Mapping[str, Any]) -> Http:
    root, problems = read_yaml(json.dumps({**given, "type": "http"}).encode(), name="evals.yaml")
    assert root is not None
    assert not problems
    decoder = Decoder("evals.yaml")
    found = decoder.block(root, Http, "targets.t", 'target "t": ', ignore=frozenset({"type"}))
    assert found is not None, decoder.problems
    return found


def _sent(request: httpx.Request) -> dict[str, Any]:
    headers = {name: value for name, value in request.headers.items() if name not in OF_THE_LIBRARY}
    sent: dict[str, Any] = {"method": request.method, "url": str(request.url), "headers": headers}
    return {**sent, "body": json.loads(request.content)} if request.content else sent
