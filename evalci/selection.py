"""Which cases of a dataset a run takes: some by id or glob, and one shard of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from evalci.errors import UsageError
from evalci.model import Case, Shard
from evalci.wording import quoted, seen


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Case ids or globs (any of them may match), and a shard; without either, every case."""

    filters: tuple[str, ...] = ()
    shard: Shard | None = None

    @property
    def is_partial(self) -> bool:
        """Does it leave cases out on purpose? Such a run never becomes a baseline."""
        return bool(self.filters) or self.shard is not None

    def choose(self, cases: Sequence[Case]) -> tuple[Case, ...]:
        """The chosen cases in dataset order. Raises `UsageError` when a filter matches nothing."""
        for pattern in self.filters:
            if not any(_matches(case.id, pattern) for case in cases):
                raise UsageError(f"--filter {quoted(pattern)} matches no case", hint="ids and globs such as 'refund-*'")
        chosen = [c for c in cases if not self.filters or any(_matches(c.id, pattern) for pattern in self.filters)]
        if self.shard is not None:
            chosen = [case for case in chosen if shard_of(case.id, self.shard.count) == self.shard.index]
        return tuple(chosen)


def shard_of(case_id: str, count: int) -> int:
    """The shard, 1 to `count`, that a case belongs to: by a hash of its id, so that adding cases moves none."""
    head = hashlib.sha256(case_id.encode("utf-8")).digest()[:8]
    return int.from_bytes(head, "big") % count + 1


def read_shard(text: str) -> Shard:
    """`I/N` as a shard. Raises `UsageError` when it is none."""
    index, slash, count = text.partition("/")
    are_numbers = index.isdecimal() and count.isdecimal() and len(text) < 20
    if slash and are_numbers and 1 <= int(index) <= int(count):
        return Shard(index=int(index), count=int(count))
    raise UsageError(f"--shard takes I/N with 1 <= I <= N, got {seen(text)}", hint="for example --shard 2/8")


def _matches(case_id: str, pattern: str) -> bool:
    return case_id == pattern or fnmatchcase(case_id, pattern)
