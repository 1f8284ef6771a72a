"""Archives, model configs, assertions and oracles: what is refused, and why."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from evalci.adapters.archive import ArchiveError, read_archive
from evalci.errors import ConfigError
from evalci.evidence.assertions import AssertionMistake, assertions_of
from evalci.evidence.models import models_from_json
from evalci.evidence.oracles import decide
from evalci.evidence.records import sha256
from tests.evidence_suites import evalci, model_config, suite_in, tar_gz
from tests.factories import case


def linked(target: str) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        link = tarfile.TarInfo("skill/link")
        link.type, link.linkname = tarfile.SYMTYPE, target
        tar.addfile(link)
        tar.addfile(tarfile.TarInfo("skill/file"))
    return data.getvalue()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (tar_gz({"/etc/passwd": b"x"}), "lies outside"),
        (tar_gz({"a/../../x": b"x"}), "lies outside"),
        (linked("../../x"), "leads outside"),
        (linked("/etc/passwd"), "leads outside"),
        (tar_gz({}), "holds no file"),
        (tar_gz({"a": b"x" * 9000})[:-20], "not a readable tar.gz"),
        (b"", "not a readable tar.gz"),
    ],
    ids=["absolute", "upwards", "link-upwards", "link-absolute", "empty", "cut-off", "no-bytes"],
)
def test_an_archive_that_cannot_be_trusted_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "p.tar.gz").write_bytes(data)
    with pytest.raises(ArchiveError, match=why):
        read_archive(tmp_path / "p.tar.gz", sha256(data))


def test_a_link_that_stays_inside_is_fine(tmp_path: Path) -> None:
    (tmp_path / "p.tar.gz").write_bytes(linked("../skill/file"))
    assert read_archive(tmp_path / "p.tar.gz", sha256(linked("../skill/file")).upper()).name == "p.tar.gz"


def test_an_archive_whose_digest_nobody_states_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.tar.gz").write_bytes(tar_gz({"a": b"x"}))
    with pytest.raises(ArchiveError, match="nothing states the digest"):
        read_archive(tmp_path / "p.tar.gz")


def test_floating_names_are_warned_about() -> None:
    config = {**model_config(30, {}), "executor_model": "provider/model-latest"}
    (warning,) = models_from_json(json.dumps(config).encode(), "m.json").warnings()
    assert 'executor_model "provider/model-latest" floats' in warning


def test_a_secret_has_no_place_in_the_parameters() -> None:
    config = {**model_config(30, {}), "executor_parameters": {"key": "sk-" + "a1B2" * 8}}
    with pytest.raises(ConfigError, match="looks like a secret"):
        models_from_json(json.dumps(config).encode(), "m.json")


def test_the_digest_of_a_config_does_not_depend_on_how_it_is_written() -> None:
    config = model_config(30, {})
    other = dict(reversed(config.items()))
    one = models_from_json(json.dumps(config).encode(), "m.json")
    two = models_from_json(json.dumps(other, indent="\t").encode(), "m.json")
    assert one.digest == two.digest


def test_models_and_archive_may_stand_in_the_yaml(tmp_path: Path) -> None:
    suite_in(tmp_path)
    models = json.dumps(model_config(30, {}))
    config = tmp_path / "evidence.yaml"
    config.write_text(f"{config.read_text()}models: {models}\narchive: {{ file: plugin.tar.gz }}\n")
    code, out, err = evalci(
        *("evidence", "run", "--suite", "smoke", "--output-dir", str(tmp_path / "out"), "--config", str(config)),
        environ={"PATH": "/usr/bin:/bin"},
    )
    assert code == 0, out + err


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"id": "a", "oracle": "guess"}, "unknown oracle"),
        ({"id": "a", "oracle": "contains"}, 'needs "value"'),
        ({"id": "a", "oracle": "contains", "value": 3}, "wrong type"),
        ({"id": "a", "oracle": "contains", "value": ""}, "must not be empty"),
        ({"id": "a", "oracle": "contains", "value": "x", "vlaue": "y"}, "unknown key"),
        ({"id": "a", "oracle": "regex", "pattern": "("}, "cannot be used"),
        ({"id": "a", "oracle": "llm_judge"}, "needs a"),
        ({"id": "a", "oracle": "selected_skill", "value": "x"}, "mode trigger"),
        ({"oracle": "contains", "value": "x"}, "lacks"),
    ],
)
def test_an_assertion_that_cannot_be_used_is_refused(row: dict[str, Any], why: str) -> None:
    with pytest.raises(AssertionMistake, match=why):
        assertions_of(case("c1", metadata={"assertions": [row]}), "behavior")


@pytest.mark.parametrize(
    ("oracle", "operands", "good", "bad"),
    [
        ("contains", {"value": "b"}, "abc", "B"),
        ("contains", {"value": "B", "case_sensitive": False}, "abc", "x"),
        ("not_contains", {"value": "b"}, "x", "abc"),
        ("equals", {"value": "b"}, "b", "b "),
        ("regex", {"pattern": "^b+$", "full": True}, "bb", "bbc"),
        ("json-schema", {"schema": {"type": "integer"}}, "3", '"3"'),
        ("json-schema", {"schema": {"type": "integer"}}, "4", "no JSON"),
        ("length", {"min": 1, "max": 2}, "ab", "abc"),
        ("selected_skill", {"value": None}, None, "x"),
        ("selected_skill", {"value": "x"}, "x", None),
    ],
)
def test_an_oracle_says_why_not(oracle: str, operands: dict[str, Any], good: str | None, bad: str | None) -> None:
    assert decide(oracle, operands, good) is None
    assert decide(oracle, operands, bad)
