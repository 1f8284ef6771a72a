"""The score that a `program` target brings along: how the program itself went."""

from evalci.calls import digest
from evalci.model import Case, Output, Score
from evalci.targets.programs.grade import SUCCESS


class ProgramScore:
    """Reads the score that the target put beside its output. `rules` is what it depends on, for baselines."""

    def __init__(self, rules: object) -> None:
        self.fingerprint = digest(repr(rules))

    async def score(self, case: Case, output: Output) -> Score:
        told = dict(output.program or {})
        value, _ = float(told.pop("score")), told.pop("exit_ok")
        return Score(value=value, passed=value == SUCCESS, reason=str(told["reason"]), metadata=told)
