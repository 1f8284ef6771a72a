"""The page: inert whatever a report holds, the same bytes each time, and what a reader looks for is there."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from evalci.model import GateOutcome, Report, Shard, Verdict
from evalci.reporters import render
from evalci.reporters.html import page
from evalci.reporters.json_reader import read_report
from evalci.reporters.json_report import write_report
from tests import factories, samples
from tests.factories import HOSTILE, broken, change, diff, failed, passed, report_of, reports, tried
from tests.unit.reporters.html.page_tree import Element, tree

ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "nav", "main", "footer", "section", "div", "span", "p",
    "a", "h1", "h2", "h3", "h4", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td",
    "details", "summary", "fieldset", "legend", "label", "input", "pre", "code", "b", "i", "small", "del", "ins",
}  # fmt: skip


def written(report: Report) -> Element:
    return tree(render("html", report))


def assert_inert(root: Element) -> None:
    anchors = {element.attributes.get("id") for element in root.all()}
    for element in root.all():
        assert element.tag in ALLOWED
        for name, value in element.attributes.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "action", "formaction", "xlink:href", "background", "ping")
            if name == "href":
                assert (value or "").removeprefix("#") in anchors, f"{value} leads nowhere"
            if name == "style":
                assert re.fullmatch(r"flex:\d+|width:\d+\.\d\d%", value or "")
            if name == "http-equiv":
                assert value == "Content-Security-Policy"
    assert "url(" not in root.all("style")[0].text


@given(reports())
@settings(max_examples=60)
def test_whatever_a_report_holds_the_page_is_well_formed_and_inert(report: Report) -> None:
    assert_inert(written(report))


@given(reports())
@settings(max_examples=60)
def test_a_report_read_back_gives_the_same_bytes(report: Report) -> None:
    first = render("html", report)
    assert render("html", report) == first
    assert render("html", read_report(write_report(report))) == first


@pytest.mark.parametrize("report", [samples.support_report(), samples.matrix_report(), samples.passing_report()])
def test_a_real_report_is_well_formed_inert_and_the_same_when_read_back(report: Report) -> None:
    assert_inert(written(report))
    assert render("html", read_report(write_report(report))) == render("html", report)


@pytest.mark.parametrize("text", [*HOSTILE, "</details></body><h1>All passed</h1>", "</pre><script>alert(1)</script>"])
def test_hostile_text_is_shown_whole_and_is_never_markup(text: str) -> None:
    root = written(report_of(failed(text or "x", text=text, case=factories.case(text or "x", context=(text,)))))
    assert_inert(root)
    told = text.replace("\r\n", "\\r\n")
    if told.replace("\n", "").replace("\t", "").isprintable():
        assert told in [element.text for element in root.all("pre")] or not text
    assert len(root.all("details", "case")) == 1


# --- the verdict ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "words"), [(0, "Passed"), (1, "Not passed"), (3, "Incomplete"), (130, "Interrupted")])
def test_the_heading_and_the_title_say_how_it_ended(code: int, words: str) -> None:
    reasons = () if code == 0 else ("3 of 9 cases failed",)
    root = written(report_of(passed(), verdict=Verdict(passed=code == 0, exit_code=code, reasons=reasons)))
    assert root.all("h1")[0].text.strip("✓✕!") == words
    assert root.all("title")[0].text == f"{words}: evals.yaml · bot"
    assert [item.text for item in root.all("ul", "why")[0].all("li")] == list(reasons) if reasons else True


def test_reasons_totals_and_cost_stand_at_the_top() -> None:
    root = written(samples.support_report())
    top = root.all("header")[0].text
    for said in (
        "gate pass_rate >= 0.9 failed: 24 of 29 judged cases pass",
        "3 failed, 2 errored, 1 skipped",
        "18,123",
        "$0.0119",
    ):
        assert said in top


def test_a_run_without_cases_says_that_it_is_no_pass() -> None:
    assert "a run without cases is not a pass" in written(report_of()).text


def test_a_part_of_a_suite_is_said_to_be_one() -> None:
    suite = factories.suite(filter="refund-*", shard=Shard(index=2, count=3))
    text = written(report_of(passed(), suite=suite)).text
    assert "Only the cases that match refund-*, not the whole suite." in text
    assert "Shard 2/3 of the suite." in text


# --- what changed ---------------------------------------------------------------------------------------------------


def test_before_and_after_stand_side_by_side_with_the_words_that_differ_marked() -> None:
    root = written(samples.support_report())
    regressed = root.all("div", "group")[0]
    assert regressed.all("h3")[0].text.startswith("Regressed 2")
    first = regressed.all("details")[0]
    assert [element.text for element in first.all("del")] == ["30", "a full refund"]
    assert [element.text for element in first.all("ins")] == ["14", "store credit"]
    assert "faithful 0.95 → 0.35" in first.all("summary")[0].text
    assert "open" in first.attributes


def test_an_answer_that_stayed_the_same_is_shown_once() -> None:
    same = change("refund-2", before_text="soon", after_text="soon")
    root = written(report_of(failed(), baseline=diff(regressed=(same,))))
    group = root.all("div", "group")[0]
    assert "The answer is the same as before." in group.text
    assert len(group.all("pre")) == 1


def test_an_edited_case_that_fails_is_told_once_as_newly_failing() -> None:
    edited = change("refund-2")
    root = written(report_of(failed(), baseline=diff(new_failing=(edited,), edited=(edited,))))
    headings = [heading.text for heading in root.all("h3")]
    assert headings == ["Newly failing 1 new or edited since, and failing"]
    assert "edited" in root.all("div", "group")[0].all("summary")[0].text


def test_a_thousand_regressions_are_bounded_and_none_is_lost_without_a_word() -> None:
    results = [failed(f"case-{number}") for number in range(1000)]
    changes = tuple(change(result.id) for result in results)
    root = written(report_of(*results, baseline=diff(regressed=changes)))
    group = root.all("div", "group")[0]
    assert len(group.all("details")) == 40
    assert len(group.all("li")) - len(group.all("li", "reason")) == 500
    assert "… and 460 more cases in the JSON report." in group.text


def test_no_baseline_says_why() -> None:
    assert "No baseline: no artifact of branch main" in written(samples.passing_report()).text


def test_scorers_that_changed_since_the_baseline_are_told() -> None:
    root = written(report_of(passed(), baseline=diff(like_for_like=False)))
    assert "The scorers changed since this baseline: the two are not like for like." in root.text


# --- measures -------------------------------------------------------------------------------------------------------


def test_gates_say_what_they_saw_and_wanted_the_failed_ones_first() -> None:
    gates = (
        GateOutcome(gate="cost <= $1", type="cost", passed=True, actual=0.5, max=1),
        GateOutcome(gate="pass_rate >= 0.9", type="pass_rate", passed=False, actual=0.5, min=0.9, reason="1 of 2 pass"),
    )
    items = written(report_of(passed(), gates=gates)).all("ul", "gates")[0].all("li")
    assert [" ".join(item.text.split()) for item in items] == [
        "not metpass_rate >= 0.90.50 1 of 2 pass",
        "metcost <= $1$0.50",
    ]


def test_means_say_what_was_left_out_in_the_order_of_the_suite() -> None:
    result = passed(scores=(factories.graded(0.5, "tone"), broken("judge"), factories.good("contains")))
    rows = written(report_of(result)).all("tbody")[0].all("tr")
    assert [row.all("code")[0].text for row in rows] == ["tone", "judge", "contains"]
    assert [row.all("td")[-1].text for row in rows] == ["0", "1 broke", "0"]
    assert rows[1].all("td")[0].text == "not measured"


def test_classes_programs_recordings_and_digests_are_there() -> None:
    text = written(samples.support_report()).text
    for said in (
        "macro-F1 0.84 over 24 labeled cases", "10 runs, 90% succeeded, 10% timed out: success 9, timeout 1.",
        "61 replayed, 2 recorded, 3 unused, 1 with a secret redacted", "2 answers re-recorded, 1 now scores lower",
        "a3a3a3", "the cassette was restored from the artifact of run 4711", "0.00 on tone",
        "evalci run evals.yaml --target support-bot --baseline main",
    ):  # fmt: skip
        assert said in text


# --- cases ----------------------------------------------------------------------------------------------------------


def test_failing_cases_come_first_and_open_passing_ones_are_folded() -> None:
    root = written(report_of(passed("fine"), failed("wrong"), factories.errored("boom"), passed("good")))
    cases = root.all("section", "cases")[0].all("details", "case")
    assert [case.all("code", "id")[0].text for case in cases] == ["wrong", "boom", "fine", "good"]
    assert ["open" in case.attributes for case in cases] == [True, True, False, False]


def test_only_the_first_failing_cases_are_open() -> None:
    root = written(report_of(*(failed(f"case-{number}") for number in range(100))))
    cases = root.all("section", "cases")[0].all("details", "case")
    assert sum("open" in case.attributes for case in cases) == 40


def test_status_is_a_word_never_a_colour_alone() -> None:
    results = (passed("a"), failed("b"), factories.errored("c"), factories.skipped("d"), factories.unjudged("e"))
    root = written(report_of(*results))
    words = [case.all("summary")[0].all("span", "st")[0].text for case in root.all("details", "case")]
    assert words == ["failed", "errored", "skipped", "passed", "no verdict"]


def test_a_case_tells_its_scores_context_trials_and_steps() -> None:
    text = written(samples.support_report()).text
    for said in (
        "The answer says 14 days and store credit", "Returns policy, section 4", "2 of 5 trials passed",
        "answered 503 three times", "3 tool calls", "no output recorded", '→ [{"order": "A-1001", "total": 59.9}]',
        "cases/support.jsonl:5", "cut off by length", "unvalidated judge", "run budget of $0.05 exhausted",
    ):  # fmt: skip
        assert said in text


def test_the_filter_offers_what_there_is() -> None:
    root = written(report_of(passed("a"), failed("b"), tried("c", True, False, True)))
    labels = [label.text for label in root.all("label")]
    assert labels == ["All 3", "Failing 1", "Passed 2", "Flaky 1"]
    kinds = [(case.attributes["class"] or "").split()[1:] for case in root.all("details", "case")]
    assert kinds == [["failed", "failing"], ["passed"], ["passed", "flaky"]]
    assert written(report_of(passed("a"), passed("b"))).all("label") == []


def test_links_lead_to_what_lies_behind_the_line_so_that_browsers_unfold_it() -> None:
    root = written(samples.support_report())
    (link, *_) = [a for a in root.all("a") if a.text == "the whole case"]
    (target,) = [e for e in root.all() if e.attributes.get("id") == (link.attributes["href"] or "")[1:]]
    assert target.attributes["class"] == "in"


# --- a matrix -------------------------------------------------------------------------------------------------------


def test_a_matrix_lays_its_arms_side_by_side_and_then_tells_each() -> None:
    root = written(samples.matrix_report())
    arms = root.all("tbody")[0].all("tr")
    assert [arm.all("td")[1].text for arm in arms] == ["24 of 31", "27 of 31", "14 of 20"]
    row = next(row for row in root.all("tr") if row.all("th") and row.all("th")[0].text == "vat-number")
    assert [" ".join(cell.text.split()) for cell in row.all("td")] == [
        "errored", "passed 1.00", "errored", "claude-haiku",
    ]  # fmt: skip
    assert len(root.all("section", "part")) == 3
    assert "10 cases alike" in root.text


# --- how much is told -----------------------------------------------------------------------------------------------


def test_a_text_that_is_cut_says_how_much_is_missing() -> None:
    longest = page.TIERS[0].text
    root = written(report_of(failed(text="x" * (longest + 1234))))
    assert "Cut: 1,234 more characters are in the JSON report." in root.text


def test_a_page_that_would_be_too_large_tells_less() -> None:
    results = [passed(f"case-{number}", text="word " * 8_000) for number in range(500)]
    text = render("html", report_of(*results))
    assert 1_000_000 < len(text.encode()) < page.MAX_BYTES
    assert "more characters are in the JSON report" in text


def test_the_last_resort_has_a_line_for_each_case_and_the_failing_ones_whole() -> None:
    report = report_of(*(passed(f"case-{number}") for number in range(300)), failed("wrong"))
    root = tree(page.environment().get_template("report.html").render(**page.context(report, page.TIERS[-1])))
    assert_inert(root)
    assert "only the first 200 cases are more than a line" in root.text
    tags = [case.tag for case in root.all("section", "cases")[0].all(class_="case")]
    assert tags == ["details"] * 200 + ["div"] * 101


def test_what_hardly_anybody_unfolds_is_left_out_of_a_long_run() -> None:
    judged = (factories.good("judge", metadata={"judge_model": "m"}),)
    results = [passed(f"case-{number}", scores=judged) for number in range(1000)]
    assert len(written(report_of(*results)).all("details", "more")) == 1000
    longer = written(report_of(*results, failed("wrong", scores=judged)))
    assert len(longer.all("details", "more")) == 1
    assert "the metadata of scores is told where a case fails" in longer.text


@pytest.mark.slow
def test_five_thousand_cases_of_the_worst_kind_keep_within_the_limit() -> None:
    scores = tuple(factories.missed(f"scorer-{number}", "<\x00" * 300) for number in range(8))
    results = [failed(f"case-{number}", text="\x00<" * 3000, scores=scores) for number in range(5000)]
    assert len(render("html", report_of(*results)).encode()) < page.MAX_BYTES


def test_a_report_without_anything_optional_still_renders() -> None:
    bare = replace(report_of(passed(case=replace(factories.case(), source=None), output=None, scores=())), gates=())
    assert_inert(written(bare))
