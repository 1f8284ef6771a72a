"""Which proxy a URL goes through."""

import httpx
import pytest

from evalci.ci.transport import open_http, origin_of, proxy_for

API = "https://api.github.com/user"


@pytest.mark.parametrize(
    ("environ", "url", "proxy"),
    [
        ({}, API, None),
        ({"HTTPS_PROXY": "http://p:1"}, API, "http://p:1"),
        ({"https_proxy": "http://low:1", "HTTPS_PROXY": "http://up:1"}, API, "http://low:1"),
        ({"HTTP_PROXY": "http://p:1"}, API, None),
        ({"ALL_PROXY": "p:1"}, API, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "github.com"}, API, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".github.com"}, API, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*.github.com, x"}, API, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "hub.com"}, API, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.github.com:443"}, API, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.github.com:8443"}, API, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, API, None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, "http://10.2.3.4/x", None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "::1"}, "http://[::1]:8080/x", None),
    ],
)
def test_the_proxy_is_the_one_the_environment_names(environ: dict[str, str], url: str, proxy: str | None):
    assert proxy_for(url, environ) == proxy


def test_two_spellings_of_one_origin_are_equal():
    assert origin_of("HTTPS://API.GitHub.com/a") == origin_of("https://api.github.com:443/b")
    assert origin_of("http://api.github.com") != origin_of("https://api.github.com")


def test_an_encrypted_address_is_reached_with_certificates(tmp_path):
    """Nothing listens there: only that the certificates could be read, or could not, is told apart."""
    with open_http({}) as http, pytest.raises(httpx.ConnectError) as caught:
        http.get("https://127.0.0.1:9/")
    assert "certificate" not in str(caught.value)
    missing = {"SSL_CERT_FILE": str(tmp_path / "missing.pem")}
    with open_http(missing) as http, pytest.raises(httpx.ConnectError, match="certificate settings"):
        http.get("https://127.0.0.1:9/")
