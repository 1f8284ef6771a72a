"""The run against its baseline as the page tells it: groups of cases, each with its texts before and after."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypedDict

from evalci.model import BaselineDiff, Change, ChangedRecording, Report, Snapshot
from evalci.reporters import facts
from evalci.reporters.html import figures
from evalci.reporters.html.cases import CaseView, reasons_of
from evalci.reporters.html.texts import whole
from evalci.reporters.html.words import Piece, compare_words

SHOWN: Final = 40
NAMED: Final = 500
OPEN: Final = 20
# What a baseline keeps of a text; what is as long may go on.
KEPT_TEXT: Final = 2_000


class Texts(NamedTuple):
    """Two texts in pieces. `note` says what the pieces cannot."""

    before: tuple[Piece, ...] | None
    after: tuple[Piece, ...] | None
    note: str


class Move(NamedTuple):
    scorer: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeView:
    """One case before and after. `anchor` is empty where the page has no such case."""

    case_id: str
    anchor: str
    before: Snapshot | None
    after: Snapshot | None
    edited: bool
    moves: tuple[Move, ...]
    reasons: tuple[str, ...]
    texts: Texts
    is_open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Cases that changed in one way. `named` are further ones by id and anchor, `more` is how many are only counted."""

    key: str
    title: str
    about: str
    count: int
    changes: tuple[ChangeView, ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    more: int = 0


class _Names(TypedDict):
    named: tuple[tuple[str, str], ...]
    more: int


def groups(diff: BaselineDiff, views: Sequence[CaseView]) -> Iterator[Group]:
    """What got worse first. A case that was edited and fails is told once."""
    known = {view.result.id: view for view in views}
    edited = {change.case_id for change in diff.edited}
    failing = {change.case_id for change in diff.new_failing}
    told = (
        ("regressed", "Regressed", "not failing before, failing now", True, diff.regressed),
        ("new", "Newly failing", "new or edited since, and failing", True, diff.new_failing),
        ("fixed", "Fixed", "failing before, passing now", False, diff.fixed),
        (
            "edited",
            "Edited",
            "the case itself was changed since",
            False,
            tuple(change for change in diff.edited if change.case_id not in failing),
        ),
    )
    for key, title, about, is_worse, changes in told:
        if changes:
            yield Group(
                key=key,
                title=title,
                about=about,
                count=len(changes),
                changes=tuple(
                    _view(change, known.get(change.case_id), edited, is_open=is_worse and number < OPEN)
                    for number, change in enumerate(changes[:SHOWN])
                ),
                **_names(changes[SHOWN:], known),
            )
    yield from _names_only(diff, known)


def _names_only(diff: BaselineDiff, known: Mapping[str, CaseView]) -> Iterator[Group]:
    for key, title, about, changes in (
        ("removed", "Removed", "in the baseline, not in this run", diff.removed),
        ("accepted", "Failing as before", "failures that the baseline already had", diff.accepted),
    ):
        if changes:
            yield Group(key=key, title=title, about=about, count=len(changes), **_names(changes, known))


def _names(changes: Sequence[Change], known: Mapping[str, CaseView]) -> _Names:
    named = tuple((change.case_id, _anchor(known.get(change.case_id))) for change in changes[:NAMED])
    return _Names(named=named, more=len(changes) - len(named))


def _anchor(view: CaseView | None) -> str:
    return "" if view is None else view.anchor


def _view(change: Change, view: CaseView | None, edited: set[str], *, is_open: bool) -> ChangeView:
    before, after = change.before, change.after
    return ChangeView(
        case_id=change.case_id,
        anchor=_anchor(view),
        before=before,
        after=after,
        edited=change.case_id in edited,
        moves=tuple(_moves(before, after)),
        reasons=() if view is None else reasons_of(view.result)[:5],
        texts=texts(_text(before), _text(after), kept=KEPT_TEXT),
        is_open=is_open,
    )


def _text(snapshot: Snapshot | None) -> str | None:
    return None if snapshot is None else snapshot.text


def _moves(before: Snapshot | None, after: Snapshot | None) -> Iterator[Move]:
    """The scores that moved, by name."""
    if before is None or after is None:
        return
    for name in sorted({*before.scores, *after.scores}):
        if name in before.scores and name in after.scores and before.scores[name] != after.scores[name]:
            yield Move(name, *figures.pair(before.scores[name], after.scores[name]))


def texts(before: str | None, after: str | None, *, kept: int = 0) -> Texts:
    """Both texts with what differs marked, word by word."""
    if before is None or after is None:
        return Texts(_plain(before), _plain(after), "")
    before, after = whole(before), whole(after)
    cut = f"Only the first {kept:,} characters are kept." if kept and max(len(before), len(after)) >= kept else ""
    if before == after:
        return Texts(None, _plain(after), " ".join(filter(None, ("The answer is the same as before.", cut))))
    return Texts(*compare_words(before, after), cut)


def _plain(text: str | None) -> tuple[Piece, ...] | None:
    return None if text is None else (Piece(whole(text), False),)


class RecordingView(NamedTuple):
    """An answer that was recorded anew; `is_lower` when its case now scores lower."""

    recording: ChangedRecording
    anchor: str
    texts: Texts
    is_lower: bool


def recordings(report: Report, views: Sequence[CaseView], longest: int) -> tuple[RecordingView, ...]:
    """Answers that were recorded anew, those that made a case score lower first, as many as a page bears."""
    lower = set(facts.lower_after_recording(report))
    known = {view.result.id: view for view in views}
    ordered = sorted(report.changed_recordings, key=lambda changed: changed.case_id not in lower)
    return tuple(
        RecordingView(
            changed,
            _anchor(known.get(changed.case_id)),
            texts(changed.before[:longest], changed.after[:longest], kept=longest),
            changed.case_id in lower,
        )
        for changed in ordered[:SHOWN]
    )
