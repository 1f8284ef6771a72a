"""The live caller of chat messages as Python code gives them: any roles, any parts."""

import json
from typing import Any

from evalci.calls.call import Call, Reply
from evalci.calls.chat import read_completion
from evalci.calls.endpoint import canonical
from evalci.calls.live import LiveCaller
from evalci.calls.transport import Transport


class MessagesCaller(LiveCaller):
    """Posts `{url}/chat/completions`; a call's input is its messages as JSON."""

    def __init__(self, transport: Transport, *, url: str, **how: Any) -> None:
        super().__init__(transport, **how)
        self._url = f"{url.rstrip('/')}/chat/completions"

    async def __call__(self, call: Call) -> Reply:
        """The answer. Raises `CallError` when no attempt gave one."""
        identity = call.endpoint.identity
        body = canonical({"model": identity["model"], "messages": json.loads(call.input), **identity.get("params", {})})
        return await self._post(self._url, body, lambda response: read_completion(response, self._url, self._scrub))
