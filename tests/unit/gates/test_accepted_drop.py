"""A drop that a person accepted."""

from evalci.gates.verdict import decide
from evalci.model import GateOutcome
from tests import factories


def test_an_accepted_drop_passes_the_baseline_contract() -> None:
    results = (factories.failed(),)
    worse = factories.diff(regressed=(factories.change("refund-2"),), passed=False)
    assert not decide(results=results, baseline=worse).passed
    assert decide(results=results, baseline=worse, drop_accepted=True).passed


def test_an_accepted_drop_lifts_no_gate_and_no_failure_without_a_baseline() -> None:
    results = (factories.failed(),)
    gate = GateOutcome(gate="pass_rate >= 0.5", type="pass_rate", passed=False, actual=0.0, min=0.5)
    worse = factories.diff(regressed=(factories.change("refund-2"),), passed=False)
    assert decide(results=results, baseline=worse, gates=(gate,), drop_accepted=True).reasons == (
        "gate pass_rate >= 0.5 failed: 0.00",
    )
    assert not decide(results=results, drop_accepted=True).passed
