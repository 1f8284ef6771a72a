"""What all live callers share: send, look at the status, read the answer, and try again where that may help."""

from collections.abc import Awaitable, Callable

from evalci.calls.call import Reply
from evalci.calls.failures import check_status
from evalci.calls.retry import with_retries
from evalci.calls.transport import HttpRequest, HttpResponse, Transport


class LiveCaller:
    """Asks over one transport. `api_key` goes along as a bearer token; `scrub` takes secrets out of quoted text."""

    def __init__(
        self,
        transport: Transport,
        *,
        scrub: Callable[[str], str],
        sleep: Callable[[float], Awaitable[None]],
        api_key: str | None = None,
        max_retries: int = 2,
        timeout_seconds: float = 120.0,
    ) -> None:
        self._transport = transport
        self._headers = {"content-type": "application/json"}
        if api_key is not None:
            self._headers["authorization"] = f"Bearer {api_key}"
        self._scrub = scrub
        self._sleep = sleep
        self._max_retries = max_retries
        self._timeout = timeout_seconds

    async def _post(self, url: str, body: bytes, read: Callable[[HttpResponse], Reply]) -> Reply:
        """What `read` makes of the answer to a JSON body."""
        request = HttpRequest(method="POST", url=url, headers=self._headers, body=body, timeout_seconds=self._timeout)
        return await self._ask(request, url, read)

    async def _ask(self, request: HttpRequest, name: str, read: Callable[[HttpResponse], Reply]) -> Reply:
        """What `read` makes of the answer; errors call the address by `name`. Raises `CallError` when there is none."""

        async def attempt() -> Reply:
            response = await self._transport.send(request)
            check_status(response, name, self._scrub)
            return read(response)

        return await with_retries(attempt, max_retries=self._max_retries, sleep=self._sleep)
