"""`evals.yaml` read with the real plug-in tables: every mistake at once, at its place, with what would be right."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalci.config.suite import Suite, read_suite
from evalci.errors import ConfigError
from evalci.pipeline import KINDS

SOUND = """\
targets:
  bot: { type: openai-compatible, url: http://x/v1, model: m }
  cat: { type: shell, cmd: cat }
datasets:
  - file: cases.jsonl
scorers:
  - type: exact
  - { type: contains, value: "30 days", name: days }
run:
  concurrency: 2
  gates:
    - { type: pass_rate, min: 0.9 }
"""


def read(text: str | bytes) -> Suite:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return read_suite(data, file="evals.yaml", folder=Path("/project"), kinds=KINDS)


def mistakes(text: str | bytes) -> list[str]:
    """All lines of the message."""
    with pytest.raises(ConfigError) as caught:
        read(text)
    return list(caught.value.lines())


def with_(old: str, new: str) -> str:
    assert SOUND.count(old) == 1
    return SOUND.replace(old, new)


@pytest.mark.parametrize(("old", "new", "message"), [
    ("  - file: cases.jsonl", "  file: cases.jsonl", "datasets must be a list"),
    ("    - { type: pass_rate, min: 0.9 }", "    type: pass_rate", "run.gates must be a list"),
    ("  concurrency: 2", "  matrix: {bot: 1}", "run.matrix must be a list, got a mapping"),
])  # fmt: skip
def test_entries_without_dashes_are_told_how_a_list_is_written(old: str, new: str, message: str) -> None:
    said, hint = mistakes(with_(old, new))
    assert said.endswith(message)
    assert hint == "  a list has `- ` before each of its entries"


def test_a_percentage_is_told_how_a_share_is_written() -> None:
    said, hint = mistakes(with_("min: 0.9", "min: 90"))
    assert said.endswith("run.gates: pass_rate min must be within [0, 1], got 90")
    assert hint == "  90 percent is 0.9"
    _, hint = mistakes(with_("min: 0.9", "min: 99.5%"))
    assert hint == "  99.5 percent is 0.995"


def test_what_is_no_percentage_is_not_taken_for_one() -> None:
    assert len(mistakes(with_("min: 0.9", "min: -0.5"))) == 1
    assert len(mistakes(with_("min: 0.9", "min: 101"))) == 1
    assert len(mistakes(with_("min: 0.9", "min: nine%"))) == 1
    assert len(mistakes(with_("concurrency: 2", "concurrency: 50%"))) == 1


def test_a_sound_suite_keeps_names_types_settings_and_places() -> None:
    suite = read(SOUND)
    assert list(suite.targets) == ["bot", "cat"]
    assert [(block.name, block.type) for block in suite.scorers] == [("exact", "exact"), ("days", "contains")]
    assert suite.scorers[1].settings.value == "30 days"
    assert [gate.settings.min for gate in suite.gates] == [0.9]
    assert (suite.run.concurrency, suite.run.trials.count, suite.run.history) == (2, 1, True)
    assert suite.datasets[0].file == "cases.jsonl"
    assert suite.plain["run"] == {"concurrency": 2, "gates": [{"type": "pass_rate", "min": 0.9}]}
    assert suite.scorers[1].node is not None
    assert (suite.scorers[1].node.line, suite.scorers[1].file) == (8, "evals.yaml")


def test_one_run_shows_the_mistakes_of_every_section_in_the_order_of_the_file() -> None:
    text = """\
targets:
  bot: { type: openai-compatibl, url: http://x/v1 }
  cat: { type: shell, cmd: 7, limits: { timeout_seconds: 0 } }
datasets:
  - fil: cases.jsonl
scorers:
  - { type: contain, value: x }
  - { type: contains, value: 30 }
run:
  concurency: 2
  budget_usd: 0
  matrix: [bot, mystery]
  gates:
    - { type: pass_rate, min: 2 }
extra: 1
"""
    assert mistakes(text) == [
        'evals.yaml:2:16: unknown target type "openai-compatibl" in targets.bot.type',
        f"  known types: {', '.join(sorted(KINDS.targets))}",
        '  did you mean "openai-compatible"?',
        "evals.yaml:3:28: targets.cat.cmd must be text, got the number 7",
        '  write it in quotes: "7"',
        'evals.yaml:3:58: target "cat": limits timeout_seconds must be at least 0.01',
        'evals.yaml:5:5: unknown key "fil" in datasets[0]',
        "  known keys: file",
        '  did you mean "file"?',
        'evals.yaml:5:5: datasets[0] lacks the key "file"',
        "  a JSONL file, relative to the config",
        'evals.yaml:7:13: unknown scorer type "contain" in scorers[0].type',
        f"  known types: {', '.join(sorted(KINDS.scorers))}",
        '  did you mean "contains"?',
        "evals.yaml:8:30: scorers[1].value must be text, got the number 30",
        '  write it in quotes: "30"',
        'evals.yaml:10:3: unknown key "concurency" in run',
        "  known keys: budget_usd, classification, concurrency, gates, history, matrix, scorer_errors, trials",
        '  did you mean "concurrency"?',
        'evals.yaml:12:11: run.matrix target "mystery" is not defined; available: bot, cat',
        "evals.yaml:14:31: run.gates: pass_rate min must be within [0, 1], got 2",
        'evals.yaml:15:1: unknown key "extra"',
        "  known keys: datasets, run, scorers, targets",
    ]


@pytest.mark.parametrize(("old", "new", "said"), [
    ("concurrency: 2", "concurrency: 0", "evals.yaml:10:16: run.concurrency must be at least 1"),
    ("concurrency: 2", "concurrency: '2'", 'run.concurrency must be a whole number, got the text "2"'),
    ("concurrency: 2", "concurrency: 2.0", "run.concurrency must be a whole number, got the number 2.0"),
    ("concurrency: 2", "concurrency: true", "run.concurrency must be a whole number, got the boolean true"),
    ("concurrency: 2", "concurrency:", "run.concurrency must be a whole number, got nothing (null)"),
    ("concurrency: 2", "concurrency: [2]", "run.concurrency must be a whole number, got a list"),
    ("concurrency: 2", "concurrency: {a: 2}", "run.concurrency must be a whole number, got a mapping"),
    ("concurrency: 2", "trials: 0", "run.trials count must be at least 1"),
    ("concurrency: 2", "trials: { count: 0 }", "run.trials count must be at least 1"),
    ("concurrency: 2", "trials: [3]", "run.trials must be a mapping of keys to values, got a list"),
    ("concurrency: 2", "trials: { count: 2, require: most }", 'run.trials.require cannot be most'),
    ("concurrency: 2", "trials: { count: 2, require: [all] }", "run.trials.require cannot be a list"),
    ("concurrency: 2", "budget_usd: .nan", "run.budget_usd must be positive, got NaN"),
    ("concurrency: 2", "budget_usd: .inf", "run.budget_usd must be positive, got inf"),
    ("concurrency: 2", "history: yes", 'run.history must be true or false, got the text "yes"'),
    ("concurrency: 2", "classification: 1", "run.classification must be true or false, got the number 1"),
    ("concurrency: 2", "scorer_errors: ignore", 'run.scorer_errors cannot be ignore'),
    ("concurrency: 2", "matrix: bot", 'run.matrix must be a list, got the text "bot"'),
    ("concurrency: 2", "matrix: [bot, 7]", "run.matrix[1] must be text, got the number 7"),
    ("concurrency: 2", "matrix: []", "run.matrix must list at least two targets, got 0"),
    ("run:\n", "Run:\n", 'unknown key "Run"'),
    ("min: 0.9", "min: '0.9'", 'run.gates[0].min must be a number, got the text "0.9"'),
    ("min: 0.9", "min: .inf", "run.gates: pass_rate min must be within [0, 1], got inf"),
    ("min: 0.9", "mn: 0.9", 'run.gates[0] lacks the key "min"'),
    ("{ type: pass_rate, min: 0.9 }", "pass_rate", "run.gates[0] must be a mapping with a `type`"),
    ("{ type: pass_rate, min: 0.9 }", "{ min: 0.9 }", 'run.gates[0] lacks the key "type"'),
    ("{ type: pass_rate, min: 0.9 }", "{ type: [pass_rate] }", "run.gates[0].type must be text, got a list"),
    ("{ type: pass_rate, min: 0.9 }", "{ type: mean_score, min: 1, scorer: dayz }", 'mean_score scorer "dayz" is not'),
    ("model: m", "model: m, api_key: sk-123", 'unknown key "api_key" in targets.bot'),
    ("model: m", "model: m, timeout_seconds: .inf", 'target "bot": timeout_seconds must be at least 1'),
    ("model: m", "model: m, max_retries: -1", 'target "bot": max_retries must be at least 0'),
    ("model: m", "model: 4", "targets.bot.model must be text, got the number 4"),
    ("model: m", "model: m, params: 3", "targets.bot.params must be a mapping of keys to values, got the number 3"),
    ("model: m", "model: m, params: { stream: true }", 'evals.yaml:2:81: target "bot": params may not set "stream"'),
    ("model: m", "model: m, cost: { input_per_1m: -1, output_per_1m: 1 }", 'target "bot" has negative cost rates'),
    ("model: m", "model: m, cost: 3", "targets.bot.cost must be a mapping of keys to values, got the number 3"),
    ("type: shell", "typ: shell", 'did you mean "type" where it says "typ"?'),
    ("- file: cases.jsonl", "- cases.jsonl", 'datasets[0] must be a mapping of keys to values, got the text'),
    ("- file: cases.jsonl", "- file: ''", "datasets[0].file must not be empty"),
    ("name: days", "name: ''", "scorers[1].name must not be empty"),
    ("name: days", "name: 30", "scorers[1].name must be text, got the number 30"),
    ("name: days", "name: exact", 'scorers[1].name: two scorers are named "exact"'),
    ("type: exact", "type: exact\n    name: days", 'scorers[1].name: two scorers are named "days"'),
    ("type: exact", "type: exact\n    name: contains", ""),
    ("  cat:", "  '':", "a target needs a name"),
    ("  - type: exact", "  - 7", "scorers[0] must be a mapping with a `type`"),
])  # fmt: skip
def test_a_mistake_says_where_what_and_what_would_be_right(old: str, new: str, said: str) -> None:
    if not said:
        read(with_(old, new))
        return
    found = mistakes(with_(old, new))
    assert said in "\n".join(found)
    assert all(line.startswith(("evals.yaml:", "  ")) for line in found)
    assert all(line.isprintable() for line in found)


def test_a_name_given_to_the_first_of_two_scorers_clashes_with_the_type_of_the_second() -> None:
    text = SOUND.replace("- type: exact\n", "- { type: regex, pattern: x, name: contains }\n").replace(
        ", name: days", ""
    )
    assert 'scorers[0].name: two scorers are named "contains"' in mistakes(text)[0]


def test_unnamed_scorers_of_one_type_may_repeat() -> None:
    assert len(read(with_("- type: exact", "- type: exact\n  - type: exact")).scorers) == 3


@pytest.mark.parametrize("section", ["targets", "datasets", "scorers"])
@pytest.mark.parametrize("value", [None, "", "{}", "[]", "~", "7", "text"])
def test_a_section_that_is_missing_empty_or_of_another_shape_is_named(section: str, value: str | None) -> None:
    suite = yaml.safe_load(SOUND)
    del suite[section]
    text = json.dumps(suite) if value is None else f"{json.dumps(suite)[:-1]}, {section}: {value}}}"
    first = "\n".join(mistakes(text))
    assert section in first or section.rstrip("s") in first


@pytest.mark.parametrize("empty", ["run:\n", "run: ~\n", "run: {}\n", "", "run: { gates: }\n", "run: { gates: [] }\n"])
def test_an_empty_run_section_means_its_defaults(empty: str) -> None:
    suite = read(SOUND.split("run:")[0] + empty)
    assert (suite.run.concurrency, suite.gates) == (4, ())


def test_a_mistake_in_a_target_or_scorer_is_not_taken_for_its_absence() -> None:
    text = SOUND.replace("cmd: cat", "cmd: 7").replace('value: "30 days"', "value: 30")
    text = text.replace("  concurrency: 2", "  concurrency: 0\n  matrix: [bot, cat]")
    text = text.replace("{ type: pass_rate, min: 0.9 }", "{ type: mean_score, min: 0.5, scorer: days }")
    found = [line for line in mistakes(text) if line.startswith("evals.yaml")]
    assert len(found) == 3
    assert not any("not defined" in line or "not among" in line for line in found)


def test_text_that_drives_a_terminal_is_shown_as_escapes() -> None:
    found = "\n".join(mistakes(SOUND + '"a\\e[2J\\u202eb": 1\n'))
    assert r'unknown key "a\u{1b}[2J\u{202e}b"' in found
    found = "\n".join(mistakes(with_("  cat: { type: shell, cmd: cat }", '  "a\\e[2J": { type: shell }')))
    assert r"targets.a\u{1b}[2J lacks" in found


def test_very_long_text_is_cut() -> None:
    assert max(map(len, mistakes(f"{SOUND}{'k' * 100_000}: 1\n"))) < 300
    assert max(map(len, mistakes(with_("concurrency: 2", f"concurrency: {'x' * 100_000}")))) < 300


@pytest.mark.parametrize(("written", "value"), [
    ("no", "no"), ("on", "on"), ("2024-01-01", "2024-01-01"), ("1:30", "1:30"), ("1_000", "1_000"), ('"7"', "7"),
    ("0o7x", "0o7x"), ("!!str 7", "7"), ("|\n      two\n      lines\n   ", "two\nlines\n"),
])  # fmt: skip
def test_words_that_older_yaml_retypes_stay_text(written: str, value: str) -> None:
    assert read(with_('value: "30 days", name: days', f"value: {written}") if "\n" not in written else SOUND.replace(
        '- { type: contains, value: "30 days", name: days }', f"- type: contains\n    value: {written.rstrip()}"
    )).scorers[1].settings.value == value  # fmt: skip


def test_several_mistakes_of_one_block_are_all_shown() -> None:
    found = mistakes(with_("model: m", "model: 4, system: 5, max_retries: -1, nonsense: 1, cost: { input_per_1m: x }"))
    assert sum(line.startswith("evals.yaml") for line in found) == 6


# --- anything at all --------------------------------------------------------------------------------------------------

EVERYTHING: dict[str, Any] = {
    "targets": {
        "bot": {
            "type": "openai-compatible", "url": "http://x/v1", "model": "m", "system": "s", "params": {"stop": ["a"]},
            "api_key_env": "KEY", "max_retries": 1, "timeout_seconds": 3.5,
            "cost": {"input_per_1m": 1, "output_per_1m": 2},
        },
        "api": {
            "type": "http", "url": "http://x/{{input}}", "method": "post", "headers": {"a": "b"},
            "body": {"q": ["{{input}}"]}, "response_path": "/a", "api_key_env": "K",
            "auth_header": "x-key", "auth_prefix": "",
        },
        "cat": {"type": "shell", "cmd": "cat", "limits": {"timeout_seconds": 1, "memory_mb": 64, "cpu_seconds": 1.5}},
        "seen": {"type": "trace"},
    },
    "datasets": [{"file": "a.jsonl"}, {"file": "b.jsonl"}],
    "scorers": [
        {"type": "exact", "value": "x"},
        {"type": "contains", "value": "x", "case_sensitive": False, "name": "c"},
        {"type": "regex", "pattern": "^a"},
        {"type": "json-schema", "schema": "s.json"},
        {"type": "subprocess", "cmd": "cat", "limits": {"processes": 3}},
        {"type": "judge", "url": "u", "model": "m", "rubric": "r", "threshold": 0.5},
        {"type": "similarity", "url": "u", "model": "m", "threshold": 0.5},
        {"type": "trajectory", "rules": [{"must_call": "a", "with": {"q": {"contains": "x"}}}, {"max_steps": 3}]},
    ],
    "run": {
        "concurrency": 2, "trials": {"count": 3, "require": "any"}, "budget_usd": 1.5, "matrix": ["bot", "cat"],
        "classification": True, "history": False, "scorer_errors": "exclude",
        "gates": [
            {"type": "pass_rate", "min": 0.5}, {"type": "mean_score", "min": 0.5, "scorer": "c"},
            {"type": "accuracy", "min": 0.5}, {"type": "macro_f1", "min": 0.5}, {"type": "cost", "max_usd": 3},
        ],
    },
}  # fmt: skip

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-(10**30), 10**30),
    st.sampled_from([0.5, -0.5, 1e308, -0.0, 1e-320]),
    st.text(max_size=6),
    st.sampled_from(
        ["", "exact", "judge", "shell", "bot", "{{input}}", "/a", "a\x1b[2J", "\u2028", "x" * 300, "(", "[a", "\\"]
    ),
    st.just([]),
    st.just({}),
    st.just([[]]),
    st.just({"type": "exact"}),
    st.just([{"type": "pass_rate", "min": 1}]),
)


def test_the_suite_that_is_fuzzed_is_sound() -> None:
    read(json.dumps(EVERYTHING))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in below for place in places(item, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The same value with something else at a place."""
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = put(value[path[0]], path[1:], new)
    return changed


def suite_or_complaint(text: str | bytes) -> None:
    try:
        read(text)
    except ConfigError as exc:
        assert exc.problems
        for problem in exc.problems:
            assert problem.file == "evals.yaml"
            assert problem.line is not None and problem.column is not None
            assert problem.message.isprintable()
            assert len(problem.message) < 1000


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_sound_suite_with_anything_anywhere_is_a_suite_or_a_complaint(data: st.DataObject) -> None:
    suite: Any = EVERYTHING
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(suite)))
        at = suite
        for part in path:
            at = at[part]
        if isinstance(at, dict) and data.draw(st.booleans()):
            suite = put(
                suite,
                path,
                {**at, data.draw(st.text(max_size=5) | st.sampled_from(["name", "type", "min"])): data.draw(ODD)},
            )
        else:
            suite = put(suite, path, data.draw(ODD))
    suite_or_complaint(json.dumps(suite))


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(0, len(SOUND)),
    st.integers(0, 12),
    st.binary(max_size=4) | st.sampled_from([b":", b"\n", b"- ", b"&a ", b"*a", b"{", b"!!"]),
)
def test_a_sound_file_with_a_few_bytes_changed_is_a_suite_or_a_complaint(at: int, cut: int, new: bytes) -> None:
    data = SOUND.encode()
    suite_or_complaint(data[:at] + new + data[at + cut :])


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_a_complaint(data: bytes) -> None:
    with pytest.raises(ConfigError):
        read(data)
    suite_or_complaint(data)
