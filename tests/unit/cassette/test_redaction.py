"""Secrets: what the key variables hold, and what looks like a key, masked wherever it turns up."""

import base64
import json
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.cassette.redact import MASK, Redactor

ODD = 'pa"ss w/rd+é\\=%'
# Built here, so that no scanner takes this file for a leak.
LOOKS_LIKE_A_KEY = {
    "openai": "sk-" + "proj-Ab0_" * 5,
    "aws": "AKIA" + "ABCDEFGH12345678",
    "google": "AIza" + "x1_-" * 9,
    "github": "ghp_" + "a1B2" * 9,
    "github fine-grained": "github_pat_" + "a1B2_" * 9,
    "gitlab": "glpat-" + "a1B2_" * 5,
    "hugging face": "hf_" + "a1B2" * 9,
    "npm": "npm_" + "a1B2" * 9,
    "pypi": "pypi-" + "a1B2_" * 12,
    "slack": "xoxb-" + "123-abc-" * 3,
    "jwt": ".".join(["eyJ" + "a1B2" * 5, "eyJ" + "a1B2" * 5, "a1B2" * 5]),
}


@pytest.mark.parametrize("key", LOOKS_LIKE_A_KEY.values(), ids=LOOKS_LIKE_A_KEY)
@pytest.mark.parametrize("around", ["{}", "key={}.", '"{}"', "a\n{}\nb", "({})", "x {} y {}"])
def test_what_looks_like_a_key_is_masked(key: str, around: str) -> None:
    found = Redactor().scrub(around.format(key, key))
    assert key not in found
    assert found.startswith(around.split("{")[0] + MASK)


def test_a_bearer_token_and_a_password_in_a_url_are_masked() -> None:
    assert Redactor().scrub(f"Bearer {'a1' * 12}== x") == f"Bearer {MASK} x"
    assert Redactor().scrub("postgres://bob:hunter22@db/x") == f"postgres://{MASK}@db/x"


def test_a_private_key_is_masked_even_when_its_end_is_missing() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n"
    assert Redactor().scrub(f"a {key}-----END RSA PRIVATE KEY----- b") == f"a {MASK} b"
    assert Redactor().scrub(f"a {key}") == f"a {MASK}"


@pytest.mark.parametrize("text", [
    "sk-learn and scikit-learn", "task-" + "a" * 30, "AKIA is a prefix", "ghp_short", "the bearer of news",
    "http://host:8080/path", "mailto:a@b", "http://a.b/c:d@e", "-----BEGIN CERTIFICATE-----", "eyJust.saying.so",
])  # fmt: skip
def test_what_only_resembles_a_key_is_left_alone(text: str) -> None:
    assert Redactor().scrub(text) == text


@pytest.mark.parametrize("written", [
    ODD,
    quote(ODD, safe=""), quote(ODD), quote_plus(ODD),
    "pa%22ss%20w%2frd%2b%c3%a9%5c%3d%25",
    json.dumps(ODD)[1:-1], json.dumps(ODD, ensure_ascii=False)[1:-1],
])  # fmt: skip
def test_a_known_secret_is_masked_in_every_usual_spelling(written: str) -> None:
    assert Redactor([ODD]).known(f"<{written}>") == f"<{MASK}>"


@given(st.binary(max_size=7), st.binary(max_size=7), st.text("abcXYZ012-_+/é", min_size=12, max_size=24))
def test_a_known_secret_is_masked_in_base64_whatever_stands_beside_it(before: bytes, after: bytes, secret: str) -> None:
    data = before + secret.encode() + after
    for encoded in (base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()):
        assert MASK in Redactor([secret]).known(encoded)


def test_space_around_a_secret_is_not_part_of_it() -> None:
    assert Redactor([" s3cret-value\n"]).known("a s3cret-value b") == f"a {MASK} b"


@pytest.mark.parametrize("value", ["", "abc", "12345", "ollama", "LM-Studio", "not-needed", "sk-no-key-required"])
def test_short_values_and_placeholders_are_left_alone(value: str) -> None:
    assert Redactor([value]).scrub(f"a {value} b") == f"a {value} b"


def test_of_two_secrets_the_longer_is_masked_whole() -> None:
    assert Redactor(["secret", "secret-longer"]).known("secret-longer secret") == f"{MASK} {MASK}"


def test_values_are_masked_at_any_depth_and_keys_and_numbers_stay() -> None:
    value = {"a": ["s3cret-value", 7, None, {"b": "x s3cret-value"}], "s3cret-value": True, "t": ("s3cret-value",)}
    assert Redactor(["s3cret-value"]).scrub_value(value) == {
        "a": [MASK, 7, None, {"b": f"x {MASK}"}], "s3cret-value": True, "t": [MASK]
    }  # fmt: skip


@given(st.text(), st.lists(st.text(min_size=6, max_size=12), max_size=3))
def test_scrubbing_leaves_no_secret_and_does_nothing_twice(text: str, secrets: list[str]) -> None:
    redactor = Redactor(secrets)
    masked = [secret.strip() for secret in secrets if len(secret.strip()) >= 6 and secret.strip() not in MASK]
    found = redactor.scrub(text.join(secrets))
    for secret in masked:
        if not any(part in secret for part in ("[", "]", *"redacted")):
            assert secret not in found


@pytest.mark.parametrize("text", [
    "eyJ-" * 50_000, "eyJ" + "a" * 200_000, "sk-" * 70_000, "://a:" + "b" * 200_000, "://a:b" * 40_000,
    "-----BEGIN PRIVATE KEY-----" * 8_000, "-----BEGIN " + "A " * 100_000, "bearer " * 30_000, "A" * 200_000,
    ("eyJ" + "a" * 1900 + ".") * 100, "github_pat_" * 20_000, "xoxb-" * 40_000,
])  # fmt: skip
def test_no_text_takes_much_longer_than_its_length(text: str) -> None:
    began = time.process_time()
    Redactor().scrub(text)
    assert time.process_time() - began < 2
