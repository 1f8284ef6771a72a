"""What the viewer answers: a pure function of the request and of what the history holds."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from evalci.baseline.diff import compare
from evalci.baseline.snapshot import baseline_of
from evalci.errors import EvalciError
from evalci.history import HistoryStore
from evalci.model import Report
from evalci.reporters.html import page
from evalci.reporters.html.changes import groups
from evalci.serve.listing import HEIGHT, WIDTH, listing
from evalci.summary.comparison import compare_arms

METHODS: Final = ("GET", "HEAD")
READ_ONLY: Final = "it answers GET and HEAD, and changes nothing"
LOOPBACK: Final = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
RUN: Final = re.compile(r"/run/([^/]*)")
ID: Final = re.compile(r"[0-9]{1,18}")
HEADERS: Final[Mapping[str, str]] = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TITLES: Final[Mapping[int, str]] = {
    400: "That is no address of a run",
    403: "Not from there",
    404: "There is no such page",
    405: "This viewer only shows",
    500: "That cannot be shown",
}
DETAIL: Final = page.Detail(text=8_000, entries=50)


class Refused(Exception):
    """The request cannot be answered: a status, and why in words."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A whole answer; `headers` come on top of those that every answer has."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages over one history."""

    store: HistoryStore
    on_bug: Callable[[BaseException], None] = lambda exc: None
    _damages: dict[int, str | None] = field(default_factory=dict)

    def answer(self, method: str, address: str, host: str | None) -> Answer:
        """The page at the address, or the page that says why there is none. `host` is the Host header."""
        try:
            return Answer(status=200, body=self._page(method, address, host))
        except Refused as exc:
            return self.refusal(exc.status, str(exc))
        except EvalciError as exc:
            return self.refusal(500, exc.message)
        except Exception as exc:
            self.on_bug(exc)
            return self.refusal(500, f"internal error in EvalCI ({type(exc).__name__}); --debug shows where")

    def refusal(self, status: int, why: str) -> Answer:
        """A page that says what is wrong."""
        title = TITLES.get(status, TITLES[400 if status < 500 else 500])
        body = _render("problem.html", status=status, title=title, why=why)
        return Answer(status=status, body=body, headers={"Allow": ", ".join(METHODS)} if status == 405 else {})

    def _page(self, method: str, address: str, host: str | None) -> str:
        if host is None or LOOPBACK.fullmatch(host) is None:
            # A name that someone else can point at this machine would let their page read ours.
            raise Refused(403, "open it as http://127.0.0.1 or http://localhost: no other name may read the history")
        if method not in METHODS:
            raise Refused(405, READ_ONLY)
        path, query = _split(address)
        if path == "/":
            return self._runs(query)
        if path == "/diff":
            return self._diff(query)
        if found := RUN.fullmatch(path):
            return page.render(self._report(_id(found[1])))
        raise Refused(404, "there is / with all runs, /run/ID with one, and /diff?a=ID&b=ID with two")

    def _runs(self, query: Mapping[str, list[str]]) -> str:
        before = _id(_one(query, "before")) if "before" in query else None
        found = listing(self.store.runs(), self._damage, before)
        return _render("runs.html", found=found, first=before is None, width=WIDTH, height=HEIGHT)

    def _damage(self, run_id: int) -> str | None:
        """Why a run's report cannot be read. A row never changes, so it is looked into once."""
        if run_id not in self._damages:
            self._damages[run_id] = self.store.damage(run_id)
        return self._damages[run_id]

    def _diff(self, query: Mapping[str, list[str]]) -> str:
        first, second = (_id(_one(query, name)) for name in ("a", "b"))
        before, after = self._report(first), self._report(second)
        return _render("diff.html", **_two_runs(first, before, second, after))

    def _report(self, run_id: int) -> Report:
        report = self.store.report(run_id)
        if report is None:
            raise Refused(404, f"the history has no run {run_id}; old runs make room for new ones")
        return report


def _render(name: str, **values: Any) -> str:
    return page.environment("evalci.serve").get_template(name).render(**values)


def _two_runs(first: int, before: Report, second: int, after: Report) -> dict[str, Any]:
    """The later run against the earlier one as if that were its baseline, and both side by side."""
    diff = compare(
        baseline_of(before),
        after.results,
        label=f"run {first}",
        source="",
        target=after.suite.target,
        scorers=after.suite.digests.scorers,
    )
    names = (f"run {first}", f"run {second}")
    comparison = compare_arms([(names[0], before.results), (names[1], after.results)])
    parts = [next(page.parts_of(report, DETAIL)) for report in (before, after)]
    return {
        "runs": [
            (number, report, page.verdict_words(report.verdict))
            for number, report in zip((first, second), (before, after), strict=True)
        ],
        "diff": diff,
        "groups": tuple(groups(diff, parts[1].cases)),
        "same_cases": before.suite.digests.cases == after.suite.digests.cases,
        "matrix": page.matrix_view(comparison, parts),
        "names": names,
    }


def _split(address: str) -> tuple[str, Mapping[str, list[str]]]:
    """Path and query. Only addresses on this server are answered."""
    try:
        parts = urlsplit(address)
        query = parse_qs(parts.query, keep_blank_values=True, max_num_fields=10)
    except ValueError:
        raise Refused(400, "the address cannot be read") from None
    if parts.scheme or parts.netloc or not parts.path.startswith("/"):
        raise Refused(400, "the address is not one of this server")
    return parts.path, query


def _one(query: Mapping[str, list[str]], name: str) -> str:
    values = query.get(name, [])
    if len(values) != 1:
        raise Refused(400, f"{name}=ID is wanted once, such as /diff?a=1&b=2")
    return values[0]


def _id(text: str) -> int:
    if ID.fullmatch(text) is None:
        raise Refused(400, "a run is named by its number, such as /run/12")
    return int(text)
