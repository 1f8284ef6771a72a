"""Takes secrets out of text: what the suite's key variables hold, and what looks like a key."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

MASK: Final = "[redacted]"
# Values that people give to servers that need no key; masking such a word would change answers for nothing.
_PLACEHOLDERS: Final = frozenset({"ollama", "lm-studio", "not-needed", "no-key", "sk-no-key-required", "placeholder"})
_SHORTEST_SECRET: Final = 6
# Fewer characters of base64 would be found in text that has nothing to do with the secret.
_SHORTEST_ENCODED: Final = 8

# Prefixes that the issuers publish, so that scanners can find leaked keys: words of which a key holds one, and how keys
# of that kind look. Repetitions are bounded where a match may fail late, so that no text takes longer than its length.
_ISSUED_KEYS: Final = (
    (("sk-",), r"\bsk-[A-Za-z0-9_-]{20,}"),
    (("AKIA",), r"\bAKIA[0-9A-Z]{16}\b"),
    (("AIza",), r"\bAIza[0-9A-Za-z_-]{35}"),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
    (("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{30,}"),
    (("glpat-",), r"\bglpat-[A-Za-z0-9_-]{20,}"),
    (("hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    (("npm_",), r"\bnpm_[A-Za-z0-9]{36}"),
    (("pypi-",), r"\bpypi-[A-Za-z0-9_-]{50,}"),
    (("xox",), r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    (("eyJ",), r"\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,}"),
    (("earer ",), r"(?<=[Bb]earer )[A-Za-z0-9._~+/-]{20,}=*"),
    (("://",), r"(?<=://)[^\s/:@]{1,64}:[^\s/:@]{3,256}(?=@)"),
    (("-----BEGIN ",), r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"),
)


class Redactor:
    """Masks secrets as `[redacted]`, and counts nothing: the same text gives the same text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """`secrets` are values that must never be shown; ones too short to be a secret are left alone."""
        values = {secret.strip() for secret in secrets}
        self._values = sorted(
            (value for value in values if len(value) >= _SHORTEST_SECRET and value.lower() not in _PLACEHOLDERS),
            key=lambda value: (-len(value), value),
        )
        self._spellings = tuple(dict.fromkeys(spelling for value in self._values for spelling in _spellings(value)))

    def known(self, text: str) -> str:
        """The text without the secrets that were handed in."""
        for spelling in self._spellings:
            if spelling in text:
                text = text.replace(spelling, MASK)
        return text

    def scrub(self, text: str) -> str:
        """The text without known secrets and without what looks like one."""
        text = self.known(text)
        # Looking for a few words takes a hundredth of the time that looking for the patterns does.
        looks = tuple(look for words, look in _ISSUED_KEYS if any(word in text for word in words))
        return _any_of(looks).sub(MASK, text) if looks else text

    def scrub_value(self, value: Any) -> Any:
        """Any JSON value with every text in it scrubbed; keys are left as they are."""
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, dict):
            return {key: self.scrub_value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.scrub_value(item) for item in value]
        return value


@cache
def _any_of(looks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(looks))


def _spellings(secret: str) -> Iterator[str]:
    """A secret as it is, and as servers and tools commonly write it: in URLs, JSON and base64."""
    import json
    from urllib.parse import quote, quote_plus

    yield secret
    for encoded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), encoded)
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield json.dumps(secret)[1:-1]
    yield from _in_base64(secret.encode("utf-8", "replace"))


def _in_base64(secret: bytes) -> Iterator[str]:
    """What a secret leaves in base64, also after other bytes (`user:secret`): the digits that are its alone."""
    import base64

    for offset in range(3):
        digits = base64.b64encode(b"\0" * offset + secret)
        first, last = -(-offset * 8 // 6), (offset + len(secret)) * 8 // 6
        alone = digits[first:last].decode("ascii")
        if len(alone) >= _SHORTEST_ENCODED:
            yield alone
            yield alone.translate(str.maketrans("+/", "-_"))
