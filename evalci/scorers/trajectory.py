"""Did the agent go the right way: which tools it called, in which order, in how many steps?"""

from collections.abc import Iterator
from dataclasses import dataclass

from evalci.config.settings import Fault, setting
from evalci.model import Case, Output, Score
from evalci.scorers.trajectories import Rule
from evalci.targets.traces.native import trajectory_in


@dataclass(frozen=True, kw_only=True, slots=True)
class TrajectoryRules:
    """Passes when every rule holds over the trajectory of a trace target, or the one that the output writes down."""

    rules: tuple[Rule, ...] = setting(about="must_call, must_not_call and max_steps, each an item of its own")

    def check(self, who: str) -> Iterator[Fault]:
        if not self.rules:
            yield Fault("rules", f"{who} has no rules", "write at least one, such as: - max_steps: 5")

    async def score(self, case: Case, output: Output) -> Score:
        trajectory = trajectory_in(output.text) if output.trajectory is None else output.trajectory
        if trajectory is None:
            return Score.broken("output is not canonical trajectory JSON")
        broken = [reason for rule in self.rules if (reason := rule.broken_by(trajectory.steps)) is not None]
        return Score.missed("; ".join(broken)) if broken else Score.good()
