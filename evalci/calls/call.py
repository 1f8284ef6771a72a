"""One model or API call: what is asked, what came back, and why it may have failed."""

from typing import NamedTuple, Protocol

from evalci.calls.endpoint import Endpoint
from evalci.model import Tokens


class CallError(Exception):
    """A call gave no usable answer. Its text is the whole cause chain, joined with `: `, free of secrets."""


# Named tuples: a replay makes one of each per case, and a frozen dataclass takes three times as long.


class Call(NamedTuple):
    """A question to an endpoint. `label` names it in messages: a case id, or `judge:<id>`, `embed-output:<id>`."""

    endpoint: Endpoint
    input: str
    label: str
    case_id: str
    trial: int = 0

    @property
    def key(self) -> str:
        """The recording this call belongs to: 64 hex digits."""
        return self.endpoint.key(self.input, self.trial)


class Reply(NamedTuple):
    """An answer. `vector` holds an embedding, whose `text` is empty; `notes` are remarks such as a cut by length."""

    text: str = ""
    latency_ms: int = 0
    tokens: Tokens | None = None
    vector: tuple[float, ...] | None = None
    notes: tuple[str, ...] = ()


async def no_live_call(call: "Call") -> Reply:
    """The live caller of a replay: there is none."""
    raise CallError(f"a replay makes no live call, not even for {call.label}")


class Caller(Protocol):
    """Makes a call, live or from a recording."""

    async def __call__(self, call: Call) -> Reply:
        """The answer. Raises `CallError` when there is none."""
        ...
