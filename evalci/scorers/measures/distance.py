"""How alike two texts are, from 0 to 1, over what remains of them once normalised."""

from typing import Any

from evalci.scorers.measures.normalise import normalise


def levenshtein(output: Any, expected: Any) -> tuple[float, int]:
    """One minus edits over the longer length, and the edits; two empty texts are alike."""
    from rapidfuzz.distance import Levenshtein

    seen, wanted = normalise(output), normalise(expected)
    edits = int(Levenshtein.distance(seen, wanted))
    longer = max(len(seen), len(wanted))
    return (1.0 - edits / longer if longer else 1.0), edits


def ratio(output: Any, expected: Any) -> float:
    """Twice the longest common subsequence over both lengths together; two empty texts are alike."""
    from rapidfuzz.distance import Indel

    return float(Indel.normalized_similarity(normalise(output), normalise(expected)))
