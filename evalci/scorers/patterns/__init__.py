"""Patterns in the syntax of Rust's `regex` crate, run by RE2 in time linear in the text.

`parser` reads a pattern and tells an `Emitter` what it found; the emitter writes RE2 syntax; `matcher` compiles it.
"""

from collections.abc import Callable

from evalci.scorers.patterns.errors import PatternError

__all__ = ["PatternError", "compile_pattern"]


def compile_pattern(pattern: str, *, full: bool = False) -> Callable[[str], bool]:
    """A test for texts: does the pattern match somewhere in it, or all of it? Raises `PatternError`."""
    from evalci.scorers.patterns.matcher import compile_matcher

    return compile_matcher(pattern, full=full)
