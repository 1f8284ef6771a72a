"""The HTTP client of the CI half: proxies and certificates from the environment handed in, never from the process."""

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import ssl

    import httpx

_EXTRA_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_of(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of a URL, so that two addresses of one server compare equal."""
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or DEFAULT_PORTS.get(scheme, 0)


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """The proxy that the environment names for a URL, or None to go there directly."""
    scheme, host, port = origin_of(url)
    if _goes_direct(host, port, _setting(environ, "no_proxy")):
        return None
    proxy = _setting(environ, f"{scheme}_proxy") or _setting(environ, "all_proxy")
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _setting(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name) or environ.get(name.upper()) or ""


def _goes_direct(host: str, port: int, no_proxy: str) -> bool:
    return any(_covers(entry.strip().lower(), host, port) for entry in no_proxy.split(",") if entry.strip())


def _covers(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        pass  # the host is a name, or the entry is no address
    name, _, entry_port = entry.partition(":")
    if entry_port and entry_port != str(port):
        return False
    name = name.removeprefix("*").removeprefix(".")
    return host == name or host.endswith(f".{name}")


def open_http(environ: Mapping[str, str], *, timeout: float = 10.0) -> "httpx.Client":
    """A client that follows no redirect, reads nothing of the process's environment, and knows the given one's proxies.

    The caller closes it.
    """
    import httpx

    class ByAddress(httpx.BaseTransport):
        """Sends each request directly or through the proxy named for its address."""

        def __init__(self) -> None:
            self._ways: dict[tuple[str | None, bool], httpx.HTTPTransport] = {}

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            proxy = proxy_for(str(request.url), environ)
            encrypted = "https" in (request.url.scheme, (proxy or "").partition(":")[0])
            if (proxy, encrypted) not in self._ways:
                self._ways[proxy, encrypted] = _open_way(proxy, environ if encrypted else None)
            return self._ways[proxy, encrypted].handle_request(request)

        def close(self) -> None:
            for way in self._ways.values():
                way.close()

    return httpx.Client(transport=ByAddress(), timeout=timeout, follow_redirects=False, trust_env=False)


def _open_way(proxy: str | None, environ: Mapping[str, str] | None) -> "httpx.HTTPTransport":
    """One way out; without an environment for a connection that is not encrypted."""
    import httpx

    try:
        return httpx.HTTPTransport(verify=_certificates(environ), proxy=proxy, trust_env=False)
    except (ImportError, ValueError, OSError) as exc:
        # A SOCKS proxy without the library for it, a proxy address that is none, a certificate file that is not there.
        raise httpx.ConnectError(f"the proxy or certificate settings cannot be used: {type(exc).__name__}") from None


def _certificates(environ: Mapping[str, str] | None) -> "ssl.SSLContext":
    """The usual certificates and those that the environment adds; reading them is slow, so none where none is used."""
    import ssl

    import httpx

    if environ is None:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context(trust_env=False)
    for name in _EXTRA_CERTIFICATES:
        if environ.get(name):
            context.load_verify_locations(cafile=environ[name])
    return context
