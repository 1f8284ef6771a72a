"""What a job offers to the sticky comment, by which rules it is published, and what became of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from evalci.ci.failures import ApiFailure
from evalci.ci.sticky_body import BODY_BYTES, Section, cleaned


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one job wants to have in the comment.

    `tier(0)` is the whole text, `tier(1)` a shorter one and so on, then None; the first line of each has to make sense
    alone. `parts` is how many sections the comment will have when all jobs are done, where that is known: 1 says that
    nobody else writes.
    """

    comment_key: str
    section_key: str
    sha: str
    run: int
    attempt: int
    tier: Callable[[int], str | None]
    parts: int | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]+", self.sha):
            raise ValueError(f"a section speaks of a commit, not of {self.sha!r}")

    def sections(self) -> list[Section]:
        """Our section in every length, the whole first."""
        found: list[Section] = []
        while (text := self.tier(len(found))) is not None:
            found.append(
                Section(key=self.section_key, sha=self.sha, run=self.run, attempt=self.attempt, content=cleaned(text))
            )
        if not found:
            raise ValueError("a section needs a text")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The protocol's times in seconds, and how often a publisher writes before it gives up."""

    max_writes: int = 6
    settle: float = 2.5
    settle_per_call: float = 3.0
    settle_after_doubt: float = 10.0
    create_jitter: float = 1.0
    first_backoff: float = 2.0
    longest_backoff: float = 16.0
    body_bytes: int = BODY_BYTES


class Did(StrEnum):
    """What became of an offer."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of an offer and why; `sections` are those in the comment when it was last seen.

    `lost` names the sections that should be there and are not.
    """

    did: Did
    reason: str = ""
    sections: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    failure: ApiFailure | None = None

    def lines(self) -> tuple[str, ...]:
        """What became of it in words, then what to change, indented by two."""
        remedy = self.failure.remedy if self.failure else ""
        first = f"comment {self.did}" + (f": {self.reason}" if self.reason else "")
        return (first, *(f"  {line}" for line in remedy.splitlines()))
