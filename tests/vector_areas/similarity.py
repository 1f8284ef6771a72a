"""Rows on similarity: the verdict on two vectors, what is embedded, and what answers are refused."""

import asyncio
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalci.calls import CallError, Reply
from evalci.calls.embeddings import embeddings_request, read_embedding
from evalci.calls.endpoint import embeddings_endpoint
from evalci.model import Output, Score
from evalci.scorers import ScorerError
from evalci.scorers.similarity import Similarity
from tests.doubles import Model, as_it_is, tools_in
from tests.factories import case


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "request" in given:
        identity = embeddings_endpoint("http://x/v1", given["request"]["model"]).identity
        url, body = embeddings_request(identity, given["request"]["text"])
        assert url.endswith(want["path_suffix"])
        assert json.loads(body) == want["body"]
        return
    score, model = _scored(given)
    if "errored" in want:
        assert (score.error is not None) == want["errored"]
    if "value" in want:
        assert score.value == (None if want["value"] is None else pytest.approx(want["value"], abs=1e-9))
    if "passed" in want:
        assert score.passed is want["passed"]
    if "reason" in want:
        assert (score.reason or None) == want["reason"]
    if "reason_reference_wording" in want:
        assert score.reason
    assert all(part in score.reason for part in want.get("reason_contains", ()))
    assert want.get("cause_contains", "") in (score.error or "")
    if "embedding_calls" in want:
        assert len(model.asked) == want["embedding_calls"]
    if "embedded_texts" in want:
        assert [call.input for call in model.asked] == want["embedded_texts"]


def _scored(given: dict[str, Any]) -> tuple[Score, Model]:
    def answer(call: Any) -> Reply | CallError:
        if "embedding_response" in given:
            try:
                return read_embedding(json.dumps(given["embedding_response"]), "http://x", latency_ms=0, scrub=as_it_is)
            except CallError as exc:
                return exc
        vector = given.get("expected_vector" if call.label.startswith("embed-expected:") else "output_vector", [1])
        return Reply(vector=tuple(map(float, vector)))

    model = Model(answer)
    settings = Similarity(url="http://x/v1", model="m", threshold=given.get("threshold", 0.8))
    with tempfile.TemporaryDirectory() as folder:
        scorer = settings.build(replace(tools_in(Path(folder)), record=lambda live: model))
    found = given.get("case", {"id": "c", "expected": "e"})
    try:
        output = Output(text=given.get("output", "o"))
        return asyncio.run(scorer.score(case(found["id"], expected=found.get("expected")), output)), model
    except ScorerError as exc:
        return Score.broken(str(exc)), model
