"""A place in a pattern, and how it moves on."""

from evalci.scorers.patterns.names import WHITE_SPACE


class Cursor:
    """Where the parser is; `char` is the character there, "" at the end."""

    __slots__ = ("_text", "place")

    def __init__(self, text: str) -> None:
        self._text = text
        self.place = 0

    @property
    def char(self) -> str:
        return self._text[self.place : self.place + 1]

    def peek(self) -> str:
        """The character after this one."""
        return self._text[self.place + 1 : self.place + 2]

    def advance(self) -> None:
        self.place += 1

    def starts_with(self, *texts: str) -> bool:
        return self._text.startswith(texts, self.place)

    def take(self, text: str) -> bool:
        """Is this text here? Then move past it."""
        here = self._text.startswith(text, self.place)
        self.place += len(text) * here
        return here

    def take_until(self, end: str) -> tuple[str, bool]:
        """The text up to `end`, which is taken too, and whether it was there."""
        before, found, _ = self._text[self.place :].partition(end)
        self.place += len(before) + len(found)
        return before, bool(found)

    def skip_blanks(self, verbose: bool) -> bool:
        """In verbose mode moves past white space and comments. False at the end."""
        while verbose and self.char:
            if self.char in WHITE_SPACE:
                self.advance()
            elif self.char == "#":
                self.take_until("\n")
            else:
                break
        return bool(self.char)

    def skip_white_space(self) -> None:
        while self.char and self.char in WHITE_SPACE:
            self.advance()

    def peek_past_blanks(self, verbose: bool) -> str:
        """The character after this one, in verbose mode past blanks."""
        back = self.place
        self.advance()
        self.skip_blanks(verbose)
        char = self.char
        self.place = back
        return char
