"""One model or API call: the request, its key, the live callers, retries."""

from evalci.calls.call import Call, Caller, CallError, Reply, no_live_call
from evalci.calls.endpoint import CallKind, Endpoint, canonical, digest

__all__ = ["Call", "CallError", "CallKind", "Caller", "Endpoint", "Reply", "canonical", "digest", "no_live_call"]
