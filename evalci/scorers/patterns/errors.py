"""What is wrong with a pattern."""


class PatternError(ValueError):
    """A pattern cannot be used; the text says why. `look_around` marks what only a backtracking engine can do."""

    def __init__(self, message: str, *, look_around: bool = False) -> None:
        super().__init__(message)
        self.look_around = look_around
