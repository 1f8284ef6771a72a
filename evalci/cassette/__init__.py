"""Recorded calls: keyed by the request, kept as text that git can diff and merge, replayed offline."""

from evalci.cassette.cassette import Cassette, Mode
from evalci.cassette.redact import Redactor

__all__ = ["Cassette", "Mode", "Redactor"]
