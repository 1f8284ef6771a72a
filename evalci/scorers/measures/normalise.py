"""Text as two people would call it equal: case, white space and presentation do not count, everything else does."""

import unicodedata
from typing import Any, Final

# Only what dresses a word up. Anything else is part of the answer: -5 is not 5, $100 is not 100 %, C++ is not C.
EDGES: Final = "\"'`.,;:!?()[]{}<>«»“”‘’—–"


def normalise(value: Any) -> str:
    """NFKC, casefolded, one blank between tokens, presentation marks off both ends of each. None is the empty text."""
    if value is None:
        return ""
    text = unicodedata.normalize("NFKC", str(value)).casefold()
    return " ".join(filter(None, (token.strip(EDGES) for token in text.split())))
