"""The comment on a pull request, as a reviewer with a minute reads it, and as a stranger would like to abuse it."""

import time
from dataclasses import replace

import pytest
from hypothesis import given

from evalci.model import (
    CaseResult,
    ChangedRecording,
    Classification,
    GateOutcome,
    Output,
    ProgramStats,
    Recordings,
    Report,
    Shard,
    Source,
    Verdict,
)
from evalci.reporters import PLAIN
from evalci.reporters.markdown import MAX_BYTES, Options, bodies, command, headline, render
from tests.factories import (
    HOSTILE,
    broken,
    case,
    change,
    diff,
    errored,
    failed,
    good,
    graded,
    matrix_of,
    missed,
    passed,
    report_of,
    reports,
    skipped,
    suite,
    tried,
    unjudged,
)
from tests.unit.reporters.markdown_tree import Tree, tree

SHOWN = Options()
HIDDEN = Options(texts="hidden")
TAGS = {
    "h3",
    "h4",
    "p",
    "ul",
    "li",
    "strong",
    "em",
    "code",
    "pre",
    "details",
    "summary",
    "b",
    "i",
    "table",
    "tbody",
    "tr",
    "th",
    "td",
    "a",
}
FAILED = Verdict(passed=False, exit_code=1, reasons=("x",))


def lines(report: Report, options: Options = SHOWN) -> list[str]:
    return render(report, PLAIN, options).splitlines()


def page(report: Report, options: Options = SHOWN) -> Tree:
    return tree(render(report, PLAIN, options))


def worse(**more: object) -> Report:
    """One case regressed; before and after differ."""
    moved = change("a", before_text="within 30 days", after_text="any time")
    return report_of(failed("a", text="any time"), baseline=diff(regressed=(moved,), **more))


# --- what a reader sees first ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (report_of(passed("a"), passed("b")), "### ✅ Evals passed: 2 of 2 cases pass · `evals.yaml`"),
        (
            report_of(passed(), baseline=diff()),
            "### ✅ Evals passed: 1 of 1 cases pass, nothing got worse · `evals.yaml`",
        ),
        (
            report_of(passed("a"), baseline=diff(fixed=(change("a", "failed", "passed"),))),
            "### ✅ Evals passed: 1 of 1 cases pass, 1 fixed · `evals.yaml`",
        ),
        (report_of(failed("a"), passed("b")), "### ❌ Evals failed: 1 of 2 cases failing · `evals.yaml`"),
        (
            worse(new_failing=(change("b"), change("c"))),
            "### ❌ Evals failed: 1 regressed, 2 newly failing · `evals.yaml`",
        ),
        (
            report_of(passed(), gates=(GateOutcome(gate="g", type="cost", passed=False),), verdict=FAILED),
            "### ❌ Evals failed: 1 gate not met · `evals.yaml`",
        ),
        (report_of(passed(), verdict=FAILED), "### ❌ Evals failed: 1 of 1 cases pass · `evals.yaml`"),
        (
            report_of(passed(), verdict=replace(FAILED, exit_code=3)),
            "### ⚠️ Evals incomplete: 1 of 1 cases pass · `evals.yaml`",
        ),
        (
            report_of(passed(), verdict=replace(FAILED, exit_code=130)),
            "### ⚠️ Evals interrupted: 1 of 1 cases pass · `evals.yaml`",
        ),
    ],
)
def test_the_first_line_says_it_all(report: Report, said: str) -> None:
    assert headline(report) == said
    assert [text.splitlines()[0] for text in bodies(report)] == [said] * len(list(bodies(report)))


def test_the_second_paragraph_gives_the_figures() -> None:
    report = report_of(
        passed("a", tokens=45_120, cost_usd=0.0123),
        errored("b"),
        skipped("c"),
        unjudged("d"),
        tried("e", True, True, False),
        baseline=diff(),
    )
    assert lines(report)[2] == (
        "**2 of 5 cases pass** (baseline: 9 of 10) · 2 failing (1 errored, 1 skipped) · 1 without a verdict · 1 flaky"
        " · 45,120 tokens · $0.0123 · target `bot`"
    )


def test_a_tiny_cost_is_said_in_words() -> None:
    assert " · under $0.0001 · " in lines(report_of(passed(cost_usd=0.00001)))[2]


def test_reasons_that_nothing_below_shows_come_next() -> None:
    verdict = Verdict(
        passed=False, exit_code=1, reasons=("1 of 1 cases failed", "the mean score 0.5 is below the threshold 0.7")
    )
    text = render(report_of(failed(), verdict=verdict))
    assert "- ❌ `the mean score 0.5 is below the threshold 0.7`\n" in text
    assert "cases failed" not in text


def test_what_a_run_does_not_cover_is_a_warning() -> None:
    report = worse(like_for_like=False)
    report = replace(report, suite=suite(filter="refund-*", shard=Shard(index=1, count=4)), no_baseline="it expired")
    text = render(report)
    assert "- ⚠️ The scorers changed since the baseline: the two are not like for like.\n" in text
    assert "- ⚠️ No baseline: `it expired`\n" in text
    assert "- ⚠️ Only the cases that match `refund-*`, not the whole suite.\n" in text
    assert "- ⚠️ Shard 1/4 of the suite.\n" in text


def test_who_accepted_a_drop_is_named() -> None:
    text = render(worse(), PLAIN, Options(accepted_by="the label evalci: accept"))
    assert "accepted by `the label evalci: accept`." in text


# --- cases ----------------------------------------------------------------------------------------------------------


def test_a_regression_shows_what_moved_and_folds_before_and_after_away() -> None:
    text = render(worse())
    assert "#### Regressed (1)\n" in text
    [summary] = [line for line in text.splitlines() if "<summary>" in line]
    assert "<b><code>a</code></b> <code>contains 1.00 → 0.00</code> — <code>contains" in summary
    assert '<pre lang="diff">\n- within 30 days\n+ any time\n</pre>' in text
    assert "At `cases.jsonl:1`\n" in text


def test_a_new_failing_case_shows_its_answer() -> None:
    report = report_of(failed("b"), baseline=diff(new_failing=(change("b", None, after_text="soon"),)))
    text = render(report)
    assert "#### Newly failing (1)\n" in text
    assert "<pre>\n  soon\n</pre>" in text


def test_an_answer_that_stayed_the_same_is_shown_once() -> None:
    report = report_of(failed("a"), baseline=diff(regressed=(change("a", before_text="x", after_text="x"),)))
    assert "The answer is the same as before:\n\n<pre>\n  x\n</pre>" in render(report)


def test_a_case_without_an_answer_says_so() -> None:
    assert "There is no answer to show." in render(report_of(errored("a")))


def test_a_change_of_status_without_scores_is_told() -> None:
    moved = change("a", "passed", "errored")
    still = replace(moved, before=replace(moved.before, scores={}), after=replace(moved.after, scores={}))
    report = report_of(errored("a"), baseline=diff(regressed=(still,)))
    assert "<code>passed → errored</code>" in render(report)


def test_a_scorer_that_broke_is_no_zero() -> None:
    moved = change("a")
    broke = replace(moved, after=replace(moved.after, scores={"contains": None, "new": 0.5}))
    report = report_of(failed("a"), baseline=diff(regressed=(broke,)))
    assert "<code>contains 1.00 → broke</code>" in render(report)


def test_a_case_that_only_the_baseline_tells_of_is_shown_without_reasons() -> None:
    bare = replace(change("gone"), after=None)
    assert "<b><code>gone</code></b></summary>" in render(report_of(baseline=diff(regressed=(bare,))))


def test_every_reason_of_a_case_is_listed() -> None:
    output = Output(text="x", notes=("cut off by length",))
    report = report_of(failed("a", output=output, scores=(missed(reason="no"), broken())))
    text = render(report)
    assert "- `contains: no`\n- `judge: scorer error: judge call failed`\n- `note: cut off by length`\n" in text


def test_a_single_short_reason_is_not_said_twice() -> None:
    assert render(report_of(failed("a", scores=(missed(reason="no"),)))).count("no</code>") == 1
    assert "- `contains: no`" not in render(report_of(failed("a", scores=(missed(reason="no"),))))


def test_a_case_without_a_source_or_reason_is_shown_all_the_same() -> None:
    bare = CaseResult(case=replace(case("a"), source=None), status="failed")
    text = render(report_of(bare))
    assert "<b><code>a</code></b></summary>" in text
    assert "At `" not in text


def test_what_else_changed_is_a_line_each() -> None:
    found = diff(
        fixed=(change("f", "failed", "passed"),),
        edited=(change("e"), change("x", "passed", "passed")),
        removed=(change("r", "passed", None),),
        accepted=(change("k", "failed", "failed"),),
    )
    text = render(report_of(passed(), baseline=found))
    assert (
        "#### Other cases\n\n- **Fixed (1):** `f`\n- **Edited since the baseline (2):** `e`, `x`\n"
        "- **Removed (1):** `r`\n- **Failing as in the baseline (1):** `k`\n"
    ) in text


def test_failures_that_were_there_before_are_no_change() -> None:
    text = render(report_of(failed("k"), baseline=diff(accepted=(change("k", "failed", "failed"),))))
    assert "#### Other cases\n\n- **Failing as in the baseline (1):** `k`" in text
    assert "#### Failing" not in text


@pytest.mark.parametrize(("count", "opened"), [(1, 1), (3, 3), (4, 0)])
def test_a_few_cases_are_shown_unfolded(count: int, opened: int) -> None:
    regressed = tuple(change(f"c{n}", before_text="yes", after_text="no") for n in range(count))
    text = render(report_of(*(failed(f"c{n}") for n in range(count)), baseline=diff(regressed=regressed)))
    assert text.count("<details open>") == opened
    assert text.count("<details") == count


def test_a_single_reason_is_told_once_and_several_stand_below() -> None:
    reason = "wanted " + "x" * 200
    assert render(report_of(failed("a", scores=(missed(reason=reason),)))).count("x" * 200) == 1
    two = (missed("first", reason="no first"), missed("second", reason="no second"))
    assert "- `first: no first`\n- `second: no second`\n" in render(report_of(failed("a", scores=two)))


def test_a_long_row_of_ids_is_cut() -> None:
    fixed = tuple(change(f"c{n}", "failed", "passed") for n in range(40))
    assert "`c29` and 10 more\n" in render(report_of(passed(), baseline=diff(fixed=fixed)))


# --- gates and measures ---------------------------------------------------------------------------------------------


def test_failed_gates_come_first_with_their_reason() -> None:
    gates = (
        GateOutcome(gate="cost <= $1", type="cost", passed=True, actual=0.5, max=1),
        GateOutcome(gate="pass_rate >= 0.9", type="pass_rate", passed=False, actual=0.5, min=0.9, reason="too few"),
    )
    assert ("#### Gates\n\n- ❌ `pass_rate >= 0.9`: `0.50` — `too few`\n- ✅ `cost <= $1`: `0.50`\n") in render(
        report_of(passed(), gates=gates)
    )


def test_measures_say_what_counts_do_not() -> None:
    report = report_of(
        passed("a", scores=(good(), good("judge", value=0.9))),
        failed("b", scores=(broken("judge"),)),
        unjudged("c", 0.0),
        classification=Classification(labeled_cases=1, accuracy=0.5, macro_f1=0.25),
        programs=ProgramStats(reason_counts={"success": 2}, timeout_rate=0.0, success_rate=1.0, total_executions=2),
    )
    text = render(report)
    for line in (
        "- `mean_score(judge) 0.90 over 1, 1 not measured`",
        "- accuracy 0.50, macro-F1 0.25 over 1 labeled case",
        "- programs: 2 runs, 100% succeeded, 0% timed out: `success 2`",
        "- **Needs attention: scored 0.00 without a verdict (1):** `c`",
    ):
        assert f"{line}\n" in text


def test_programs_without_a_reason_are_summed_up_all_the_same() -> None:
    stats = ProgramStats(reason_counts={}, timeout_rate=0.0, success_rate=0.0, total_executions=0)
    assert "- programs: 0 runs, 0% succeeded, 0% timed out\n" in render(report_of(passed(), programs=stats))


def test_changed_recordings_are_counted_and_shown_the_worse_ones_first() -> None:
    changed = tuple(
        ChangedRecording(key=key * 64, case_id=key, before=f"old {key}", after=f"new {key}") for key in "xab"
    )
    report = replace(worse(), changed_recordings=changed, recordings=Recordings(hits=4, stale=1))
    text = render(report)
    assert "3 answers re-recorded, 1 now scores lower, 1 unused, 0 secrets redacted\n" in text
    assert '`a` now scores lower\n\n<pre lang="diff">\n- old a\n+ new a\n</pre>' in text
    assert text.index("old a") < text.index("old x")


def test_many_changed_recordings_are_cut() -> None:
    changed = tuple(ChangedRecording(key="a" * 64, case_id=f"c{n}", before="x", after="y") for n in range(50))
    assert "… and 10 more\n" in render(report_of(passed(), changed_recordings=changed))


# --- what to do next ------------------------------------------------------------------------------------------------


def test_the_command_that_reproduces_it_can_be_copied() -> None:
    report = replace(
        worse(), suite=suite(config="my evals.yaml", target="bot", filter="a b", shard=Shard(index=1, count=2))
    )
    line = "evalci run 'my evals.yaml' --target bot --filter 'a b' --shard 1/2 --baseline main"
    assert command(report) == line
    assert f"```sh\n{line}\n```" in render(report)


def test_a_baseline_that_is_no_file_is_not_in_the_command() -> None:
    assert "--baseline" not in command(worse(source="artifact evalci-baseline of run 12"))


def test_a_matrix_is_reproduced_as_a_matrix() -> None:
    arms = [report_of(passed(), suite=suite(target=name)) for name in ("gpt", "claude")]
    assert command(matrix_of(*arms)) == "evalci run evals.yaml --matrix gpt,claude"


def test_the_caller_may_know_a_better_command() -> None:
    assert "```sh\nmake evals\n```" in render(report_of(passed()), PLAIN, Options(command="make evals"))


def test_a_drop_can_be_accepted_in_two_ways_and_both_are_named() -> None:
    text = render(worse())
    assert "add the label `evalci: accept` to the pull request" in text
    assert "commit the baseline that `evalci run evals.yaml --target bot --save-baseline main` writes" in text


def test_known_failures_can_become_a_baseline() -> None:
    assert "`evalci run evals.yaml --target bot --save-baseline main` writes: from then on" in render(
        report_of(failed())
    )


def test_nothing_is_to_be_accepted_when_nothing_got_worse() -> None:
    for report in (report_of(passed()), report_of(passed(), baseline=diff())):
        assert "save-baseline" not in render(report)


def test_provenance_notes_and_links_close_the_text() -> None:
    report = replace(worse(), notes=("a torn line was dropped",))
    text = render(
        report, PLAIN, Options(links={"full report": "https://example.com/1 <2>", "run": "https://example.com/r"})
    )
    assert (
        "- Compared with baseline `main`, from `.evalci/baselines/evals/main.json`.\n- `a torn line was dropped`\n"
        in text
    )
    assert text.endswith("[full report](<https://example.com/1%20%3C2%3E>) · [run](<https://example.com/r>)\n")


def test_a_baseline_without_a_source_is_named_all_the_same() -> None:
    assert "- Compared with baseline `main`.\n" in render(worse(source=""))


# --- matrix ---------------------------------------------------------------------------------------------------------


def test_a_matrix_shows_its_targets_side_by_side_and_then_each() -> None:
    arms = (
        report_of(passed("a", tokens=1200, cost_usd=0.00001), suite=suite(target="gpt")),
        report_of(failed("a"), suite=suite(target="<b>")),
    )
    text = render(matrix_of(*arms))
    assert (
        "<tr><td>✅</td><td><code>gpt</code></td><td>1 of 1</td><td>1</td><td>1,200</td><td>&lt;$0.0001</td></tr>"
        in text
    )
    assert "<tr><td>❌</td><td><code>&#x3c;b&#x3e;</code></td><td>0 of 1</td><td>0</td><td></td><td></td></tr>" in text
    assert "### Target `<b>`\n\n#### Failing (1)\n" in text
    assert "### Target `gpt`" not in text


def test_a_matrix_without_a_comparison_or_with_many_targets_is_shown() -> None:
    arms = [report_of(passed(), suite=suite(target=f"t{n}")) for n in range(70)]
    text = render(replace(matrix_of(*arms), comparison=None))
    assert "… and 10 more targets\n" in text


# --- limits ---------------------------------------------------------------------------------------------------------


def many(count: int, text: str = "😀" * 500) -> Report:
    return report_of(*(failed(f"c{n}", text=text, scores=(missed(reason=text),)) for n in range(count)))


def test_ten_thousand_failing_cases_stay_within_the_limit() -> None:
    report = many(10_000)
    texts = list(bodies(report))
    sizes = [len(text.encode()) for text in texts]
    assert sizes[0] <= MAX_BYTES
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)
    assert "and 9900 more in the full report" in "".join(texts)
    assert all(text.splitlines()[0] == headline(report) for text in texts)


def test_shorter_texts_keep_the_way_to_reproduce_and_the_links() -> None:
    options = Options(links={"full report": "https://example.com/1"})
    *longer, shortest = bodies(many(10_000), options)
    assert shortest == headline(many(10_000)) + "\n"
    for text in longer:
        assert "evalci run evals.yaml" in text
        assert "[full report](<https://example.com/1>)" in text


def test_the_counts_alone_remain_when_there_is_little_room() -> None:
    text = render(many(300), PLAIN, Options(max_bytes=1500))
    assert "#### Failing (300)\n\nListed in the full report.\n" in text
    assert len(text.encode()) <= 1500


def test_the_headline_alone_remains_when_there_is_no_room() -> None:
    report = many(300)
    assert render(report, PLAIN, Options(max_bytes=100)) == headline(report) + "\n"


def test_the_headline_comes_even_where_there_is_no_room_for_it() -> None:
    report = report_of(passed())
    assert list(bodies(report, Options(max_bytes=1))) == [headline(report) + "\n"]


def test_fences_and_folds_are_closed_in_every_length() -> None:
    for text in bodies(many(200, text="```\n`````\n</details>\n")):
        assert not tree(text).mistakes
        assert not tree(text).open


def test_ten_thousand_failing_cases_cost_little() -> None:
    report = many(10_000, text="no")
    began = time.process_time()
    list(bodies(report))
    assert time.process_time() - began < 3  # about 0.2 s; the slack is for a busy machine


def test_many_gates_are_cut() -> None:
    gates = tuple(GateOutcome(gate=f"g{n}", type="cost", passed=True) for n in range(70))
    assert "- … and 10 more\n" in render(report_of(passed(), gates=gates))


# --- hidden texts ---------------------------------------------------------------------------------------------------


def test_hidden_texts_keep_out_all_that_a_model_or_a_server_said() -> None:
    said = "SECRET ANSWER"
    changed = ChangedRecording(key="a" * 64, case_id="a", before=said, after=f"{said} 2")
    moved = change("a", before_text=said, after_text=said)
    output = Output(text=said, notes=(said,))
    report = report_of(
        failed("a", output=output, scores=(missed(reason=f"got: {said}"), graded(0.5))),
        errored("b", error=said),
        changed_recordings=(changed,),
        baseline=diff(regressed=(moved,), new_failing=(change("b", None, after_text=said),)),
    )
    for text in (*bodies(report, HIDDEN), *bodies(replace(report, baseline=None), HIDDEN)):
        assert said not in text
        assert "<details" not in text


def test_hidden_texts_still_tell_which_case_moved_and_where_it_stands() -> None:
    text = render(worse(), PLAIN, HIDDEN)
    assert "- `a` · `contains 1.00 → 0.00` · `cases.jsonl:1`\n" in text
    assert "Texts are hidden here; the report among the run's artifacts has them.\n" in text


# --- hostile text ---------------------------------------------------------------------------------------------------


@given(reports())
def test_nothing_that_a_report_holds_is_live(report: Report) -> None:
    for text in bodies(report):
        found = tree(text)
        assert set(found.tags) <= TAGS
        assert not found.links
        assert not found.mistakes
        assert not found.open
        assert found.attributes <= {("pre", "lang"), ("code", "class"), ("details", "open")}


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()])
@pytest.mark.parametrize("options", [SHOWN, HIDDEN], ids=["shown", "hidden"])
def test_hostile_text_in_every_field_is_never_live(text: str, options: Options) -> None:
    verdict = Verdict(passed=False, exit_code=1, reasons=(text,))
    result = failed(text, text=text, scores=(missed(text, reason=text),))
    placed = replace(result, case=replace(result.case, source=Source(file=text, line=1)))
    moved = change(text, before_text=text, after_text=f"{text}\n{text}")
    report = report_of(
        placed,
        errored(f"{text}2", error=text),
        suite=suite(config=text, target=text, filter=text),
        verdict=verdict,
        gates=(GateOutcome(gate=text, type="cost", passed=False, reason=text),),
        baseline=diff(label=text, source=text, regressed=(moved,), fixed=(moved,), accepted=(moved,)),
        changed_recordings=(ChangedRecording(key="a" * 64, case_id=text, before=text, after=""),),
        programs=ProgramStats(reason_counts={text: 1}, timeout_rate=0, success_rate=0, total_executions=1),
        notes=(text,),
        no_baseline=text,
    )
    expected = set(page(report_of(passed(), baseline=diff()), options).live_text.split())
    for whole in (report, matrix_of(report, replace(report, suite=suite(target=f"{text}2")))):
        for shown in bodies(whole, options):
            found = tree(shown)
            assert set(found.tags) <= TAGS
            assert not found.links
            assert not found.mistakes
            live = set(found.live_text.split()) - expected
            assert not [word for word in live if "@" in word or "#" in word or "::" in word or "http" in word]
            assert not [line for line in shown.splitlines() if line.startswith(("::", "/", "<!--"))]
