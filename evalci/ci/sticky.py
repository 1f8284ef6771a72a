"""One comment per pull request that many jobs write to at once, on an API that cannot compare and swap.

How it converges. The comment's text is a map from section to newest content, and joining such maps loses nothing.
Every publisher joins whatever it sees; one that misses a section looks again, joins and writes. A write can only undo
what its author had not read, so a publisher leaves no sooner than it has seen the very same revision, complete, twice,
further apart than anybody takes from look to write. Publishers that were overwritten wait a random time that doubles.
Comments created at the same moment are joined into the one with the lowest id, and deleted only once that one has
their sections.
"""

from dataclasses import dataclass, field
from typing import Final

from evalci.ci.failures import ApiError, ApiFailure, Kind
from evalci.ci.http_api import ApiClient
from evalci.ci.sticky_body import StickyBody, writer_mark
from evalci.ci.sticky_join import Knowledge, Seen, fitted, seen_in
from evalci.ci.sticky_offer import Did, Offer, Outcome, Rules
from evalci.ci.values import Conversation

# The comment was deleted between our look and our write.
_GONE_MEANWHILE: Final = frozenset({Kind.MISSING, Kind.GONE, Kind.CONFLICT})


class _Ended(Exception):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


def publish(conversation: Conversation, offer: Offer, api: ApiClient, rules: Rules | None = None) -> Outcome:
    """What became of the offer. Whatever the host does is in the outcome, never an exception."""
    publisher = _Publisher(
        conversation=conversation, offer=offer, api=api, rules=rules or Rules(), known=Knowledge(own=offer.sections())
    )
    try:
        publisher.check_head()
        while True:
            publisher.step()
    except _Ended as ended:
        return ended.outcome
    except ApiError as exc:
        return publisher.gave_up(exc.failure)


@dataclass(slots=True, kw_only=True)
class _Publisher:
    """One job's way to a comment that holds its section: looks, and does what each look asks for."""

    conversation: Conversation
    offer: Offer
    api: ApiClient
    rules: Rules
    known: Knowledge
    smallest_tier: int = 0
    writes: int = 0
    failures: int = 0
    waited_turn: bool = False
    did: Did | None = None
    in_doubt: bool = False
    looked_at: float = 0.0
    longest_look: float = 0.0
    overrun: float = 0.0
    revision: object = None
    revision_since: float = 0.0
    last: Seen = field(default_factory=Seen)

    def check_head(self) -> None:
        """Ends here when the pull request has moved on: its newer commit's comment must not be overwritten."""
        head = self.conversation.head_sha()
        if head != self.offer.sha:
            reason = f"the pull request is at {head[:12]} now, this run is of {self.offer.sha[:12]}"
            raise _Ended(Outcome(did=Did.SKIPPED, reason=reason))

    def step(self) -> None:
        seen = self._look()
        stable = self._stable_for(seen)
        missing = self.known.missing_in(seen.sections)
        if missing and (self.offer.section_key in missing or stable >= self._settle() / 2):
            if self._has_to_wait(seen):
                self._wait_for_turn(seen, missing)
            else:
                self._write(seen)
        elif missing:  # its own publisher is likely to mend that first
            self._rest(self._settle() / 2 - stable)
        elif stable < self._settle():
            self._delete_duplicates(seen, only_own=True)
            self._rest(self._settle() - stable)
        else:
            self._delete_duplicates(seen, only_own=False)
            self._finish(seen)

    def gave_up(self, failure: ApiFailure) -> Outcome:
        """The outcome when the host would not let us go on."""
        reason = failure.lines()[0]
        if self.writes:
            reason += "; the comment was written, but what stands there now could not be checked"
        return Outcome(did=Did.FAILED, reason=reason, sections=tuple(self.last.sections), failure=failure)

    def _look(self) -> Seen:
        self.looked_at = self.api.effects.clock()
        seen = seen_in(self.conversation.comments(), self.conversation.author(), self.offer.comment_key)
        self.longest_look = max(self.longest_look, self.api.effects.clock() - self.looked_at)
        newer = seen.sections.get(self.offer.section_key)
        if newer is not None and self.known.is_newer(newer):
            reason = f"run {newer.run}, attempt {newer.attempt} of the same commit has already written this section"
            raise _Ended(Outcome(did=Did.SKIPPED, reason=reason, sections=tuple(seen.sections)))
        self.known.learn(seen)
        self.last = seen
        return seen

    def _stable_for(self, seen: Seen) -> float:
        """Seconds for which nobody wrote, as far as two looks can tell: from the end of one to the start of another."""
        if seen.revision != self.revision:
            self.revision, self.revision_since = seen.revision, self.api.effects.clock()
            return 0.0
        return self.looked_at - self.revision_since

    def _settle(self) -> float:
        """How long nobody must have written: longer than a look and the write that follows it take."""
        if self.in_doubt:
            return self.rules.settle_after_doubt
        if self.offer.parts == 1:
            return 0.0
        return max(self.rules.settle, self.rules.settle_per_call * self.api.slowest, 2 * self.longest_look)

    def _rest(self, seconds: float) -> None:
        self._check_time(seconds)
        self.api.effects.sleep(max(seconds, 0.01))

    def _has_to_wait(self, seen: Seen) -> bool:
        """Whether others may be writing, so that this look is not the one to write on."""
        contested = self.writes > 0 or (seen.main is None and self.offer.parts != 1)
        return contested and not self.waited_turn

    def _wait_for_turn(self, seen: Seen, missing: tuple[str, ...]) -> None:
        if self.writes >= self.rules.max_writes:
            raise _Ended(self._lost(seen, missing))
        longest = self.rules.create_jitter
        if self.writes:
            longest = min(self.rules.longest_backoff, self.rules.first_backoff * 2 ** (self.writes - 1))
        self._rest(self.api.effects.rng.uniform(0.0, longest))
        self.check_head()
        self.api.keep_write_gap()
        self.waited_turn = True

    def _write(self, seen: Seen) -> None:
        body = self._joined(seen)
        self.waited_turn = False
        try:
            if seen.main_id is None:
                self.did = Did.CREATED
                self.conversation.create(body.render())
            else:
                self.did = self.did or Did.UPDATED
                self._update(seen.main_id, body.render())
            self.writes += 1
            self.failures = 0
        except ApiError as exc:
            self._after_failed_write(exc, seen)

    def _update(self, number: int, text: str) -> None:
        """Writes, and notes when look and write together took longer than others can be expected to wait."""
        others_wait = self._settle()
        try:
            self.conversation.update(number, text)
        finally:
            took = self.api.effects.clock() - self.looked_at
            if self.offer.parts != 1 and took > others_wait:
                self.overrun = max(self.overrun, took)

    def _joined(self, seen: Seen) -> StickyBody:
        """Everything known as one text, under the next revision."""
        sections = fitted(
            self.known,
            self.offer.comment_key,
            smallest_tier=self.smallest_tier,
            limit=self.rules.body_bytes,
            parts=self.offer.parts,
        )
        if sections is None:
            reason = f"{len(self.known.others) + 1} sections do not fit into one comment, not even as one line each"
            raise _Ended(
                Outcome(did=Did.FAILED, reason=reason, sections=tuple(seen.sections), lost=(self.offer.section_key,))
            )
        number = (seen.main.rev[0] if seen.main else 0) + 1
        return StickyBody(key=self.offer.comment_key, sections=sections, rev=(number, writer_mark(self.known.own[0])))

    def _after_failed_write(self, exc: ApiError, seen: Seen) -> None:
        """Decides between a shorter text, another look and giving up."""
        failure = exc.failure
        self.failures += 1
        self.in_doubt = self.in_doubt or failure.maybe_done
        if failure.kind is Kind.TOO_LONG and self.smallest_tier + 1 < len(self.known.own):
            self.smallest_tier += 1
            return
        deleted_meanwhile = failure.kind in _GONE_MEANWHILE and seen.main_id is not None and self.failures == 1
        if deleted_meanwhile:
            return
        if not self.api.pause(failure, self.failures):
            raise exc
        self.check_head()

    def _delete_duplicates(self, seen: Seen, *, only_own: bool) -> None:
        """Removes comments that a race left behind, once the one that counts has all that they say."""
        mark = writer_mark(self.known.own[0])
        for number, body in seen.duplicates:
            if (body.rev[1] == mark or not only_own) and self.known.covers(body, seen.sections):
                self.conversation.delete(number)

    def _finish(self, seen: Seen) -> None:
        """Ends well, unless a slow write of ours may have undone one whose author has left and cannot mend it."""
        there = tuple(seen.sections)
        if not self.overrun or len(there) == self.offer.parts:
            raise _Ended(Outcome(did=self.did or Did.UNCHANGED, sections=there))
        expected = f" of {self.offer.parts}" if self.offer.parts else ""
        reason = (
            f"a write took {self.overrun:.1f} s and may have undone another job's: "
            f"the comment has {len(there)}{expected} sections ({', '.join(map(repr, there))}). "
            "Run the publish step of a job that is missing again."
        )
        raise _Ended(Outcome(did=Did.FAILED, reason=reason, sections=there))

    def _lost(self, seen: Seen, missing: tuple[str, ...]) -> Outcome:
        there = seen.sections.get(self.offer.section_key)
        if there is not None and there.version == (self.offer.run, self.offer.attempt):
            reason = (
                f"another job of this run writes the section {self.offer.section_key!r} too: "
                "give every leg of the matrix a key of its own"
            )
        else:
            reason = (
                f"after {self.writes} writes the comment still lacks {', '.join(map(repr, missing))}: "
                "others kept overwriting it. "
                "Run the publish step again, or publish from one job that merges all reports."
            )
        return Outcome(did=Did.FAILED, reason=reason, sections=tuple(seen.sections), lost=missing)

    def _check_time(self, seconds: float) -> None:
        """Ends honestly when the deadline comes before certainty."""
        if seconds < self.api.remaining():
            return
        missing = self.known.missing_in(self.last.sections)
        reason = "time ran out while other jobs were still writing; "
        reason += f"not in the comment: {', '.join(map(repr, missing))}" if missing else "it may yet be overwritten"
        raise _Ended(Outcome(did=Did.FAILED, reason=reason, sections=tuple(self.last.sections), lost=missing))
