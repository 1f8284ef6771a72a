"""What `factuality` asks: does the answer contradict the reference?"""

from types import MappingProxyType
from typing import Final

RUBRIC: Final = """\
Compare the facts of the answer with those of the expected answer. Style, order and length do not matter.
A: the answer says less than the expected answer, and nothing against it.
B: the answer says more than the expected answer, and nothing against it.
C: the answer says the same.
D: the answer disagrees with the expected answer about a fact.
E: they differ, but not in anything that matters to what is true."""

CHOICES: Final = MappingProxyType({"A": 1.0, "B": 1.0, "C": 1.0, "D": 0.0, "E": 1.0})
