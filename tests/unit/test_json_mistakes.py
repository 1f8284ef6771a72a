"""Where JSON goes wrong, and why: what is here holds in every version of Python that the suite is run with."""

import json

import pytest

from evalci.json_mistakes import Mistake, mistake_of


def mistake_in(text: str) -> Mistake:
    with pytest.raises(json.JSONDecodeError) as found:
        json.loads(text)
    return mistake_of(found.value)


@pytest.mark.parametrize(
    ("text", "why", "line", "column"),
    [
        ('{"a": 1, }', "a comma stands before the }", 1, 10),
        ('{"a": 1,}', "a comma stands before the }", 1, 9),
        ('{"é": "😀",\n \t}', "a comma stands before the }", 2, 3),
        ("[1, 2,\n]", "a comma stands before the ]", 2, 1),
        ("[,]", "expecting value", 1, 2),
        ("", "expecting value", 1, 1),
        ('{"a": }', "expecting value", 1, 7),
        ('{"a" 1}', "expecting ':' delimiter", 1, 6),
        ('{"a": 1 "b"}', "expecting ',' delimiter", 1, 9),
        ("{a: 1}", "expecting property name enclosed in double quotes", 1, 2),
        ('{"a": 1,', "expecting property name enclosed in double quotes", 1, 9),
        ("{} {}", "extra data", 1, 4),
    ],
)
def test_a_mistake_has_its_reason_and_its_place(text: str, why: str, line: int, column: int) -> None:
    mistake = mistake_in(text)
    assert (mistake.why, mistake.line, mistake.column) == (why, line, column)
    assert mistake.position == sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1
