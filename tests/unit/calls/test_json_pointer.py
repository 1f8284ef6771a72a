"""JSON Pointer, with every corner of RFC 6901."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.calls.json_pointer import is_pointer, resolve
from tests.factories import json_values

# Section 5 of the RFC, with a few corners more.
DOCUMENT: dict[str, Any] = {
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8,
    "~1": 9, "0": "zero", "-": "minus", "é": "e", "nested": {"": {"": "deep"}}, "null": None,
}  # fmt: skip


@pytest.mark.parametrize(("pointer", "value"), [
    ("", DOCUMENT), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
    ("/g|h", 4), ("/i\\j", 5), ('/k"l', 6), ("/ ", 7), ("/m~0n", 8), ("/~01", 9), ("/0", "zero"), ("/-", "minus"),
    ("/é", "e"), ("/nested//", "deep"), ("/null", None),
])  # fmt: skip
def test_a_pointer_names_one_value(pointer: str, value: Any) -> None:
    assert is_pointer(pointer)
    assert resolve(DOCUMENT, pointer) == value


@pytest.mark.parametrize("pointer", [
    "/foo/2", "/foo/-", "/foo/-1", "/foo/00", "/foo/01", "/foo/+1", "/foo/1.0", "/foo/ 1", "/foo/1e0",
    "/foo/", "/foo/¹", "/foo/\u0661",
    pytest.param("/foo/" + "9" * 5000, id="huge"),
    "/bar", "/foo/0/0", "/c%25d", "/null/0", "/nested/x", "//", "/e\u0301",
])  # fmt: skip
def test_anything_else_names_nothing(pointer: str) -> None:
    with pytest.raises(LookupError):
        resolve(DOCUMENT, pointer)


@pytest.mark.parametrize("text", ["foo", " /foo", "#/foo", "/a~", "/a~2", "/~", "~0"])
def test_what_is_no_pointer_is_told(text: str) -> None:
    assert not is_pointer(text)


@given(json_values(), st.data())
def test_every_value_of_a_document_has_a_pointer(document: Any, data: st.DataObject) -> None:
    value, pointer = document, ""
    while isinstance(value, (dict, list)) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        pointer += "/" + str(key).replace("~", "~0").replace("/", "~1")
        value = value[key]
    assert is_pointer(pointer)
    assert resolve(document, pointer) is value
