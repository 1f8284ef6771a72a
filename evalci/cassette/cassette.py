"""The cassette in front of live callers: replays, records, counts. It knows calls, no target."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evalci.calls import Call, Caller, CallError, Reply
from evalci.cassette import codec, store
from evalci.cassette.journal import Journal, load_with_journal, merge_answer, recover
from evalci.cassette.redact import Redactor
from evalci.cassette.vectors import decode_vector, encode_vector
from evalci.model import ChangedRecording, Recordings
from evalci.wording import quoted

if TYPE_CHECKING:
    from evalci.cassette.explain import Explainer

Mode = Literal["auto", "replay", "live", "off"]


class Cassette:
    """The recordings of a suite for the length of one run.

    In `replay` nothing is called, in `auto` what is recorded is not called again, in `live` everything is called and
    recorded anew, in `off` recordings are neither read nor written.
    """

    def __init__(self, folder: Path, mode: Mode, redactor: Redactor) -> None:
        self.mode = mode
        self.notes: tuple[str, ...] = ()
        self._folder = folder
        self._redactor = redactor
        self._recordings: dict[str, codec.Recording] = {}
        self._loaded: dict[str, codec.Recording] = {}
        self._earlier: Mapping[str, codec.Recording] = {}
        self._used: dict[str, str] = {}  # by key the case that used it last
        self._missed: set[str] = set()
        self._hits = 0
        self._recorded: set[str] = set()
        self._redacted: set[str] = set()
        self._changed: dict[str, ChangedRecording] = {}
        self._waiting: dict[str, asyncio.Future[Reply]] = {}
        self._journal: Journal | None = None
        self._explainer: Explainer | None = None

    def open(self) -> None:
        """Load what is recorded. Raises `CassetteError` when it cannot be trusted; a crash's journal is folded in."""
        if self.mode == "off":
            return
        if self.mode == "replay":
            recovered = recover(self._folder)
            self._load()
            self.notes = (*recovered, *self.notes)
            return
        journal = Journal(self._folder)
        journal.open()
        try:
            self._load()
            if not journal.is_empty:
                journal.fold(self._recordings)
        except BaseException:
            journal.close()
            raise
        self._journal = journal

    def _load(self) -> None:
        self._recordings, self.notes = load_with_journal(self._folder)
        self._loaded = dict(self._recordings)

    def close(self) -> None:
        """Fold the journal in and let it go. Safe to call twice, and after a failure.

        Raises `CassetteError` when the cassette cannot be written; the answers stay in the journal.
        """
        journal, self._journal = self._journal, None
        if journal is None:
            return
        try:
            if not journal.is_empty:
                journal.fold(self._recordings)
        finally:
            journal.close()

    def compare_with(self, earlier: Mapping[str, codec.Recording]) -> None:
        """Take recordings of an earlier state for those that changed: what is replayed may have been recorded anew."""
        self._earlier = earlier

    def record(self, live: Caller) -> Caller:
        """The caller that answers from recordings where the mode says so, and from `live` where it does not."""
        if self.mode == "replay":
            return self._replay
        if self.mode == "off":
            return lambda call: self._call(live, call)
        if self.mode == "live":
            return lambda call: self._call_and_keep(live, call)
        return lambda call: self._replay_or_record(live, call)

    async def _replay(self, call: Call) -> Reply:
        key = call.key
        recording = self._recordings.get(key)
        if recording is None:
            raise CallError(self._miss(call, key))
        return self._hit(call, key, recording)

    async def _replay_or_record(self, live: Caller, call: Call) -> Reply:
        """Two identical calls at once ask once: the second waits for the first."""
        key = call.key
        recording = self._recordings.get(key)
        if recording is not None:
            return self._hit(call, key, recording)
        waiting = self._waiting.get(key)
        if waiting is not None:
            return await asyncio.shield(waiting)
        waiting = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._call_and_keep(live, call)
            waiting.set_result(reply)
        except BaseException as exc:
            waiting.set_exception(exc if isinstance(exc, CallError) else CallError("the same call was interrupted"))
            waiting.exception()
            raise
        finally:
            del self._waiting[key]
        return reply

    async def _call(self, live: Caller, call: Call) -> Reply:
        """A live answer as a recording would give it back: without secrets, vectors rounded to float32."""
        reply = await live(call)
        text = self._redactor.scrub(reply.text)
        if text != reply.text:
            self._redacted.add(call.key)
            reply = reply._replace(text=text)
        if reply.vector is not None:
            try:
                reply = reply._replace(vector=decode_vector(encode_vector(reply.vector)))
            except ValueError as exc:
                raise CallError(str(exc)) from exc
        return reply

    async def _call_and_keep(self, live: Caller, call: Call) -> Reply:
        reply = await self._call(live, call)
        key = call.key
        request = call.endpoint.request(call.input, call.trial)
        shown = self._redactor.scrub_value(request)
        if shown != request:
            self._redacted.add(key)
        redacted = key in self._redacted
        line = codec.write_line(call, shown, codec.response_of(reply), redacted=redacted)
        assert self._journal is not None
        self._journal.append(line)
        self._take(call, codec.read_line(line))
        return reply

    def _take(self, call: Call, new: codec.Recording) -> None:
        """Count an answer that is safe on disk; one that says what was loaded leaves everything as it was."""
        key, before = new.key, self._loaded.get(new.key)
        self._used[key] = call.case_id
        if before is None:
            merge_answer(self._recordings, new)
            self._recorded.add(key)
        elif before.answer == new.answer:
            self._recordings[key] = before
            self._recorded.discard(key)
            self._changed.pop(key, None)
        else:
            self._recordings[key] = new
            self._recorded.add(key)
            self._changed[key] = ChangedRecording(key=key, case_id=call.case_id, before=before.text, after=new.text)

    def _hit(self, call: Call, key: str, recording: codec.Recording) -> Reply:
        self._used[key] = call.case_id
        self._hits += 1
        return codec.reply_of(recording)

    def _miss(self, call: Call, key: str) -> str:
        self._missed.add(key)
        if self._explainer is None:
            from evalci.cassette.explain import Explainer  # a replay without a miss does not pay for it

            self._explainer = Explainer(self._recordings.values())
        why = self._explainer.explain(call)
        what = f"cache miss for case {quoted(call.label)} in replay mode"
        message = f"{what} — record it first with --cache auto (or live)"
        return self._redactor.scrub(f"{message}; {why}" if why else message)

    @property
    def digest(self) -> str | None:
        """SHA-256 of all recordings, None when there are none."""
        return store.digest(self._recordings)

    @property
    def changed(self) -> tuple[ChangedRecording, ...]:
        """Answers that were recorded before, or in an earlier state, and differ now, sorted by key."""
        changed = dict(self._changed)
        for key in self._earlier.keys() & self._used.keys() - changed.keys():
            before, now = self._earlier[key], self._recordings[key]
            if before.answer != now.answer:
                changed[key] = ChangedRecording(key=key, case_id=self._used[key], before=before.text, after=now.text)
        return tuple(changed[key] for key in sorted(changed))

    def counts(self, *, with_keys: bool = False) -> Recordings:
        """How the recordings were used. `with_keys` keeps the keys, so that shards can be merged."""
        redacted = {key for key, recording in self._recordings.items() if recording.redacted} & self._used.keys()
        redacted |= self._redacted
        return Recordings(
            hits=self._hits,
            misses=len(self._missed),
            recorded=len(self._recorded),
            stale=len(self._loaded - self._used.keys()),
            redacted=len(redacted),
            used_keys=tuple(sorted(self._used)) if with_keys else None,
            missed_keys=tuple(sorted(self._missed)) if with_keys else (),
            redacted_keys=tuple(sorted(redacted)) if with_keys else (),
        )
