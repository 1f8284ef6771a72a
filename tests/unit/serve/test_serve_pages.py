"""What the viewer answers: pages, refusals, and what it makes of a damaged history."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from evalci.history import HistoryStore
from evalci.model import Digests, Report
from evalci.reporters import render
from evalci.serve.listing import PAGE
from evalci.serve.pages import Answer, Pages
from tests import factories, samples
from tests.factories import failed, passed, report_of
from tests.unit.reporters.html.page_tree import Element, tree
from tests.unit.serve.conftest import NOW

HOST = "127.0.0.1:7878"
Write = Callable[[str], None]


def keep(store: HistoryStore, *reports: Report) -> None:
    for number, report in enumerate(reports):
        store.add(report, NOW + timedelta(hours=number))


def ask(store: HistoryStore, address: str, *, method: str = "GET", host: str | None = HOST) -> Answer:
    return Pages(store).answer(method, address, host)


def page(store: HistoryStore, address: str) -> Element:
    answer = ask(store, address)
    assert answer.status == 200
    return tree(answer.body)


def rows(root: Element) -> list[str]:
    return [" ".join(row.text.split()) for row in root.all("ul", "runs")[0].all("li")]


# --- the list -------------------------------------------------------------------------------------------------------


def test_runs_are_listed_newest_first_with_a_link_to_what_changed(store: HistoryStore) -> None:
    keep(store, report_of(passed(), failed()), report_of(passed(), passed("refund-2")))
    root = page(store, "/")
    assert rows(root) == [
        "passedrun 22026-01-02 04:04:05 UTCevals.yaml · bot2 of 2changes since 1",
        "not passedrun 12026-01-02 03:04:05 UTCevals.yaml · bot1 of 2the first",
    ]
    links = [link.attributes["href"] for link in root.all("ul", "runs")[0].all("a")]
    assert links == ["/run/2", "/diff?a=1&b=2", "/run/1"]


def test_a_run_is_compared_with_the_last_one_of_the_same_suite_and_target(store: HistoryStore) -> None:
    other = report_of(passed(), suite=factories.suite(target="other", cases=1))
    keep(store, report_of(passed()), other, report_of(failed()), other)
    compared = [row.split(" of 1")[1] for row in rows(page(store, "/"))]
    assert compared == ["changes since 2", "changes since 1", "the first", "the first"]


def test_each_suite_has_a_line_of_its_pass_rates_with_the_same_in_words(store: HistoryStore) -> None:
    keep(store, report_of(failed(), passed()), report_of(passed(), passed("b")), report_of(passed()))
    (spark,) = page(store, "/").all("svg")
    assert spark.attributes["aria-label"] == "pass rate of the last 3 runs: now 100%, lowest 50%, highest 100%"
    assert spark.all("polyline")[0].attributes["points"] == "4,16 80,4 156,4"


def test_the_line_shows_the_newest_fifty_runs_only(store: HistoryStore) -> None:
    keep(store, *(report_of(failed()) for _ in range(60)), *(report_of(passed()) for _ in range(50)))
    (spark,) = page(store, "/").all("svg")
    assert (spark.attributes["aria-label"] or "").startswith("pass rate of the last 50 runs: now 100%, lowest 100%")


def test_no_runs_yet_say_how_to_get_one(store: HistoryStore) -> None:
    assert "There are no runs yet" in page(store, "/").text
    assert not store.file.exists()


def test_older_runs_are_on_further_pages(store: HistoryStore) -> None:
    keep(store, *(report_of(passed()) for _ in range(PAGE + 3)))
    root = page(store, "/")
    assert len(rows(root)) == PAGE
    (older,) = root.all("p", "pages")[0].all("a")
    assert older.attributes["href"] == "/?before=4"
    further = page(store, "/?before=4")
    assert len(rows(further)) == 3
    assert [link.text for link in further.all("p", "pages")[0].all("a")] == ["Newest runs"]
    assert "There are no older runs" in page(store, "/?before=1").text


def test_hostile_names_are_shown_and_are_never_markup(store: HistoryStore) -> None:
    hostile = "</code><script>alert(1)</script>\u202e"
    keep(store, report_of(passed(), suite=factories.suite(target=hostile, config=hostile, cases=1)))
    root = page(store, "/")
    assert root.all("script") == []
    assert "</code><script>alert(1)</script>\\u{202e}" in root.text


# --- damage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["x'00ff'", "'text'", "NULL || x''", "x'789c030000000001'", "zeroblob(10)"])
def test_a_damaged_run_is_an_error_row_in_the_list_and_a_500_on_its_page(
    store: HistoryStore, write: Write, damage: str
) -> None:
    keep(store, report_of(passed()), report_of(passed()), report_of(passed()))
    write(f"UPDATE run_history SET report = coalesce({damage}, x'') WHERE id = 2")
    assert [row.split("run ")[0] for row in rows(page(store, "/"))] == ["passed", "damaged", "passed"]
    assert "changes since 1" in rows(page(store, "/"))[0]
    for address in ("/run/2", "/diff?a=2&b=1", "/diff?a=1&b=2"):
        answer = ask(store, address)
        assert answer.status == 500
        assert "run 2 of the history is damaged" in tree(answer.body).text


@pytest.mark.parametrize(
    "damage", ["passed = 'many'", "total = -1", "passed = 9", "created_at = x'37'", "target = x'00'", "total = 1.5"]
)
def test_a_row_whose_columns_make_no_sense_is_an_error_row(store: HistoryStore, write: Write, damage: str) -> None:
    keep(store, report_of(passed()), report_of(passed()))
    write(f"UPDATE run_history SET {damage} WHERE id = 1")
    root = page(store, "/")
    assert rows(root)[1].startswith("damagedrun 1run 1 of the history is damaged: ")
    assert len(root.all("svg")) == 1


def test_a_history_that_is_no_database_is_a_500_that_says_so(store: HistoryStore) -> None:
    store.file.parent.mkdir()
    store.file.write_text("not a database, but long enough to look at" * 10)
    answer = ask(store, "/")
    assert answer.status == 500
    assert "cannot read .evalci/history.db: file is not a database" in tree(answer.body).text


def test_a_run_is_looked_into_once(store: HistoryStore, write: Write) -> None:
    keep(store, report_of(passed()))
    pages = Pages(store)
    first = pages.answer("GET", "/", HOST)
    write("UPDATE run_history SET report = x''")
    assert pages.answer("GET", "/", HOST) == first


# --- one run, two runs ----------------------------------------------------------------------------------------------


def test_the_page_of_a_run_is_its_html_report(store: HistoryStore) -> None:
    keep(store, samples.support_report())
    assert ask(store, "/run/1").body == render("html", samples.support_report())


def test_two_runs_stand_side_by_side(store: HistoryStore) -> None:
    keep(
        store,
        report_of(passed("a", text="in 30 days"), failed("b")),
        report_of(failed("a", text="in 14 days"), passed("b")),
    )
    root = page(store, "/diff?a=1&b=2")
    assert [group.all("h3")[0].text.split(" ")[0] for group in root.all("div", "group")] == ["Regressed", "Fixed"]
    first = root.all("div", "group")[0]
    assert ([e.text for e in first.all("del")], [e.text for e in first.all("ins")]) == (["30"], ["14"])
    table = root.all("tbody")[0]
    assert [" ".join(row.text.split()) for row in table.all("tr")] == [
        "a passed 1.00 failed 0.00 run 1",
        "b failed 0.00 passed 1.00 run 2",
    ]
    links = [link.attributes["href"] for link in table.all("a")]
    assert links == ["/run/1#c1", "/run/2#c1", "/run/1#c2", "/run/2#c2"]
    for link in links:
        where, _, anchor = (link or "").partition("#")
        assert anchor in [element.attributes.get("id") for element in page(store, where).all()]


def test_two_runs_that_are_alike_say_so(store: HistoryStore) -> None:
    keep(store, report_of(passed()), report_of(passed()))
    text = page(store, "/diff?a=1&b=2").text
    assert "No case passes in one and not in the other." in text
    assert "1 case alike" in text


def test_runs_that_are_not_like_for_like_say_so(store: HistoryStore) -> None:
    suite = factories.suite(cases=1)
    changed = replace(suite, digests=Digests(cases="a" * 64, scorers="b" * 64))
    keep(store, report_of(passed(), suite=suite), report_of(passed(), suite=changed))
    text = page(store, "/diff?a=1&b=2").text
    assert "The scorers changed between the two" in text
    assert "The cases changed between the two" in text


def test_runs_without_cases_can_be_compared(store: HistoryStore) -> None:
    keep(store, report_of(), report_of())
    assert "The first run has no cases." in page(store, "/diff?a=1&b=2").text


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/run/x", 400), ("/run/", 400), ("/run/-1", 400), ("/run/1.0", 400), ("/run/٣", 400),
        ("/run/" + "9" * 19, 400),
        ("/run/999", 404), ("/run/" + "9" * 18, 404), ("/run/1/", 404), ("/nowhere", 404), ("/favicon.ico", 404),
        ("/diff", 400), ("/diff?a=1", 400), ("/diff?a=1&b=", 400), ("/diff?a=1&a=1&b=1", 400), ("/diff?a=1&b=999", 404),
        ("/diff?a=999&b=1", 404), ("/diff?" + "&".join(f"x{n}=1" for n in range(50)), 400), ("/?before=x", 400),
        ("http://127.0.0.1/", 400), ("//run/1", 400), ("run/1", 400), ("*", 400), ("", 400), ("http://[/", 400),
        ("/run/../run/1", 404), ("/run/%31", 400), ("/\x00", 404),
    ],
)  # fmt: skip
def test_an_address_that_leads_nowhere_gets_its_status_and_a_page(
    store: HistoryStore, address: str, status: int
) -> None:
    keep(store, report_of(passed()))
    answer = ask(store, address)
    assert answer.status == status
    assert str(status) in tree(answer.body).all("title")[0].text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:7878", "[::1]:7878"])
def test_names_of_this_machine_are_answered(store: HistoryStore, host: str) -> None:
    assert ask(store, "/", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", "evil.example:7878", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1:x",
     "evil.example@127.0.0.1", "localhost\n", "127.0.0.2", "0.0.0.0", "[::2]"],
)  # fmt: skip
def test_any_other_name_is_refused_so_that_no_page_can_rebind_its_own(store: HistoryStore, host: str | None) -> None:
    keep(store, report_of(passed("secret-case")))
    for address in ("/", "/run/1"):
        answer = ask(store, address, host=host)
        assert answer.status == 403
        assert "secret-case" not in answer.body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "BREW"])
def test_whatever_would_write_is_not_allowed(store: HistoryStore, method: str) -> None:
    answer = ask(store, "/", method=method)
    assert (answer.status, answer.headers) == (405, {"Allow": "GET, HEAD"})


def test_a_bug_of_ours_is_a_500_and_told_to_who_asked_for_it(store: HistoryStore) -> None:
    told: list[BaseException] = []
    broken = Pages(None, told.append)  # type: ignore[arg-type]
    answer = broken.answer("GET", "/", HOST)
    assert answer.status == 500
    assert "AttributeError" in answer.body
    assert len(told) == 1
