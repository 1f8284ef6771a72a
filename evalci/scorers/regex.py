"""Does a pattern match the output?

Patterns are those of Rust's `regex` crate and run on RE2, in time linear in the output. What is still different:

- the Unicode tables are those of the installed RE2, which may be a version older or newer; properties that RE2 lacks
  (`\\p{Alphabetic}`, `\\p{scx=Greek}`, `\\p{Emoji}`) come from the tables of the `regex` package, and some properties
  that only the package has are taken as well;
- refused with a message, though Rust takes them: `\\p{age=…}`, one-sided word boundaries (`\\b{start}`, `\\<`), `^` or
  `$` under the flags `m` and `R` together, and `\\b` of Unicode beside `(?-u:\\b)` in one pattern;
- a pattern is too large at other sizes than there.

`engine: backtracking` runs Python's syntax on the `regex` package instead, with look-around and back-references, and
with a time limit in place of the promise. There `$` also matches before a line end that closes the text.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score
from evalci.scorers import Scorer, ScorerError
from evalci.scorers.texts import one_line
from evalci.tools import Tools
from evalci.wording import plain_number, seen

Matches = Callable[[str], bool]
OPT_IN = "look-around and back-references need `engine: backtracking`, which works under a time limit"


@dataclass(frozen=True, kw_only=True, slots=True)
class Regex:
    """Passes when the pattern matches somewhere in the output, or all of it with `full`."""

    pattern: str = setting(about="a pattern in the syntax of Rust's regex crate")
    full: bool = setting(False, about="true when the whole output has to match")
    engine: Literal["linear", "backtracking"] = setting("linear", about="backtracking takes look-around")
    timeout_seconds: float = setting(2.0, about="time for one output with the backtracking engine")

    def check(self, who: str) -> Iterator[Fault]:
        if not (self.timeout_seconds > 0 and isfinite(self.timeout_seconds)):
            yield Fault(
                "timeout_seconds", f"{who}: timeout_seconds must be positive, got {plain_number(self.timeout_seconds)}"
            )

    def build(self, tools: Tools) -> Scorer:
        matches = self._linear() if self.engine == "linear" else self._backtracking()
        return RegexScorer(self, matches)

    def _linear(self) -> Matches:
        from evalci.scorers.patterns import PatternError, compile_pattern

        try:
            return compile_pattern(self.pattern, full=self.full)
        except PatternError as exc:
            raise self._invalid(f"{exc}\n{OPT_IN}" if exc.look_around else str(exc)) from exc

    def _backtracking(self) -> Matches:
        import regex

        try:
            compiled = regex.compile(self.pattern)
        except (regex.error, RecursionError) as exc:
            raise self._invalid(str(exc)) from exc
        find, seconds = (compiled.fullmatch if self.full else compiled.search), self.timeout_seconds

        def matches(text: str) -> bool:
            try:
                return find(text, timeout=seconds) is not None
            except TimeoutError as exc:
                raise ScorerError(f"the pattern took too long: more than {plain_number(seconds)}s") from exc

        return matches

    def _invalid(self, why: str) -> Fault:
        return Fault("pattern", f"invalid regex scorer pattern: {one_line(self.pattern)}", why)


class RegexScorer:
    """A compiled pattern."""

    def __init__(self, settings: Regex, matches: Matches) -> None:
        self._settings = settings
        self._matches = matches

    async def score(self, case: Case, output: Output) -> Score:
        if self._matches(output.text):
            return Score.good()
        wanted = "the whole output" if self._settings.full else "output"
        pattern = one_line(self._settings.pattern)
        return Score.missed(f"expected {wanted} to match /{pattern}/, got: {seen(output.text)}")
