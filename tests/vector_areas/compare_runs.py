"""Golden rows of two runs laid side by side."""

from typing import Any

from evalci.baseline.side_by_side import Standing, lay_side_by_side

FORBIDDEN_IN = ("FLIPPED", "MOVED", "AMENDED", "MEASURED", "BEFORE", "AFTER")


def run(row: dict[str, Any]) -> None:
    given, want = row["given"], row["want"]
    if "forbidden_words" in want:
        _words(want)
        return
    edited = set(given.get("edited_cases", ()))
    sides = [
        {i: _standing(case, f"{side}" if i in edited else "same") for i, case in given[side].items()}
        for side in ("before", "after")
    ]
    found = lay_side_by_side(*sides)
    assert [list(flip) for flip in found.flips] == want["flips"]
    assert [[i, round(delta, 9)] for i, delta in found.moves] == want["moves"]
    assert list(found.amended) == want["amended"]
    assert [list(change) for change in found.measurement_changes] == want["measurement_changes"]
    assert list(found.only_before) == want["only_before"]
    assert list(found.only_after) == want["only_after"]
    assert found.mean_delta is None if want["mean_delta"] is None else abs(found.mean_delta - want["mean_delta"]) < 1e-9
    assert found.nothing_differs == want["nothing_differs"]


def _standing(case: dict[str, Any], content: str) -> Standing:
    errored = case.get("error") is not None
    return Standing(value=case.get("value"), passed=case.get("passed"), errored=errored, content=content)


def _words(want: dict[str, Any]) -> None:
    import inspect

    from evalci.cli import compare_command

    text = "".join(inspect.getsource(part) for part in (compare_command._lines, compare_command._verdict)).lower()
    assert not [word for word in want["forbidden_words"] if word in text]
    assert want["always_states"] in text
