"""The pure half of the sticky comment: what one look shows, what it lacks, and how everything fits into one comment."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalci.ci.sticky_body import Section, StickyBody, folded, parse, size_of
from evalci.ci.values import Comment


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Our comments in one look: the one with the lowest id, which counts, and those that a race left beside it."""

    main_id: int | None = None
    main: StickyBody | None = None
    duplicates: tuple[tuple[int, StickyBody], ...] = ()

    @property
    def sections(self) -> Mapping[str, Section]:
        """What the comment that counts holds."""
        return self.main.sections if self.main else {}

    @property
    def revision(self) -> object:
        """Equal in two looks only if nobody wrote between them."""
        return (self.main_id, self.main.rev) if self.main else None


def seen_in(comments: Iterable[Comment], login: str, key: str) -> Seen:
    """What of these comments is ours: written by our own login and starting with our marker."""
    ours = [
        (comment.id, body)
        for comment in comments
        if comment.author.casefold() == login.casefold() and (body := parse(comment.body, key)) is not None
    ]
    ours.sort(key=lambda pair: pair[0])
    if not ours:
        return Seen()
    return Seen(main_id=ours[0][0], main=ours[0][1], duplicates=tuple(ours[1:]))


@dataclass(slots=True, kw_only=True)
class Knowledge:
    """Every section of one commit that a publisher has come to know, at its newest, and its own in all lengths.

    It only ever grows: joining in any order and any number of times gives the same.
    """

    own: Sequence[Section]
    others: dict[str, Section] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The key of our own section."""
        return self.own[0].key

    def learn(self, seen: Seen) -> None:
        """Joins what a look shows about our commit."""
        bodies = [body for _, body in reversed(seen.duplicates)] + ([seen.main] if seen.main else [])
        for body in bodies:
            for section in body.sections.values():
                known = self.others.get(section.key)
                if self._is_of_others(section) and (known is None or section.version >= known.version):
                    self.others[section.key] = section

    def missing_in(self, sections: Mapping[str, Section]) -> tuple[str, ...]:
        """The keys that are not there, or there in an older version than the one known."""
        missing = [key for key, known in self.others.items() if not self._covered(known, sections)]
        return tuple(missing if self.is_ours(sections.get(self.key)) else [self.key, *missing])

    def covers(self, duplicate: StickyBody, sections: Mapping[str, Section]) -> bool:
        """Whether nothing is lost with a duplicate: all it says of our commit is in the comment that counts."""
        return all(
            self.is_ours(sections.get(self.key))
            if section.key == self.key
            else section.sha != self.own[0].sha or self._covered(section, sections)
            for section in duplicate.sections.values()
        )

    def is_ours(self, section: Section | None) -> bool:
        """Whether a section says what we want to say, in whichever length."""
        return section is not None and any(
            section.sha == own.sha and section.content in (own.content, own.headline) for own in self.own
        )

    def is_newer(self, section: Section | None) -> bool:
        """Whether a section of our key comes from a later run or attempt on the same commit."""
        return section is not None and section.sha == self.own[0].sha and section.version > self.own[0].version

    def _is_of_others(self, section: Section) -> bool:
        return section.sha == self.own[0].sha and section.key != self.key

    def _covered(self, known: Section, sections: Mapping[str, Section]) -> bool:
        there = sections.get(known.key)
        return there is not None and there.sha == known.sha and there.version >= known.version


def fitted(
    knowledge: Knowledge, comment_key: str, *, smallest_tier: int, limit: int, parts: int | None
) -> Mapping[str, Section] | None:
    """All known sections in one comment: ours as long as room allows, else the longest others cut to headlines.

    `parts`, when known, keeps our own section to its fair share. None when not even headlines fit.
    """
    share = limit // max(parts or 1, 1)
    others = list(knowledge.others.values())
    candidates = knowledge.own[smallest_tier:]
    for section in candidates:
        is_last = section is candidates[-1]
        if (is_last or len(section.content.encode()) <= share) and _fits([*others, section], comment_key, limit):
            return _by_key([*others, section])
    own = candidates[-1]
    while not _fits([*others, own], comment_key, limit):
        shorter = folded(others)
        if shorter == others:
            return None
        others = shorter
    return _by_key([*others, own])


def _fits(sections: list[Section], comment_key: str, limit: int) -> bool:
    return size_of(StickyBody(key=comment_key, sections=_by_key(sections))) <= limit


def _by_key(sections: list[Section]) -> dict[str, Section]:
    return {section.key: section for section in sections}
