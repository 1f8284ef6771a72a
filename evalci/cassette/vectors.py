"""Embeddings as recordings keep them: base64 of little-endian float32."""

import base64
import binascii
import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final

_SMALLEST_NORMAL: Final = 2.0**-126


def encode_vector(vector: Sequence[float]) -> str:
    """Numbers as text. Raises `ValueError` when there are none, or one is not finite or past float32."""
    try:
        data = struct.pack(f"<{len(vector)}f", *vector)
    except (OverflowError, struct.error) as exc:
        raise ValueError("an embedding holds a number that is too large") from exc
    if not data or not all(map(math.isfinite, vector)):
        raise ValueError("an embedding is empty or holds a number that is not finite")
    return base64.b64encode(data).decode("ascii")


def is_vector(text: Any) -> bool:
    """Is this what `encode_vector` writes?"""
    try:
        values = _floats(text)
    except (TypeError, ValueError, binascii.Error, struct.error):
        return False
    return bool(values) and math.isfinite(sum(values))


def decode_vector(text: str) -> tuple[float, ...]:
    """The numbers again, each as the shortest decimal that names its float32.

    Servers print float32 as such decimals, so 0.6 comes back as 0.6 and not as 0.6000000238.
    """
    values = _floats(text)
    found = list(values)
    left = [place for place, value in enumerate(values) if value and not _is_odd(value)]
    for digits in (6, 7, 8, 9):
        shorter = _rounded((values[place] for place in left), digits)
        again = struct.unpack(f"<{len(left)}f", struct.pack(f"<{len(left)}f", *shorter))
        for place, short, back in zip(left, shorter, again, strict=True):
            if back == values[place]:
                found[place] = short
        left = [place for place, back in zip(left, again, strict=True) if back != values[place]]
    return tuple(_shortest(value) if _is_odd(value) else short for value, short in zip(values, found, strict=True))


def _floats(text: str) -> tuple[float, ...]:
    data = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(data) // 4}f", data)


def _rounded(values: Iterable[float], digits: int) -> list[float]:
    """Each value at so many significant digits; one formatting for all, since there are hundreds."""
    numbers = tuple(values)
    return list(map(float, (f"%.{digits}g " * len(numbers) % numbers).split()))


def _is_odd(value: float) -> bool:
    """May the nearest decimal not be the shortest? So it is below the normal range, and at powers of two."""
    return value != 0 and (abs(value) < _SMALLEST_NORMAL or abs(math.frexp(value)[0]) == 0.5)


def _shortest(value: float) -> float:
    for digits in range(1, 9):
        # The gap above a power of two is twice as wide as the one below, so a decimal there is tried as well.
        for near in (value, value * (1 + 2**-25)):
            short = float(f"{near:.{digits}g}")
            if struct.unpack("<f", struct.pack("<f", short))[0] == value:
                return short
    return float(f"{value:.9g}")
