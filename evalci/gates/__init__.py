"""Whole-run demands: a table of kinds, one short file each, and what folds them into a verdict. Pure."""

from collections.abc import Mapping
from typing import Final

from evalci.config.kinds import Kind

GATES: Final[Mapping[str, Kind]] = {
    "accuracy": Kind("evalci.gates.accuracy:Accuracy", "enough outputs equal their expected label"),
    "cost": Kind("evalci.gates.cost:Cost", "the whole run costs no more than this"),
    "latency": Kind("evalci.gates.latency:Latency", "answers come fast enough, on average or nearly all"),
    "macro_f1": Kind("evalci.gates.macro_f1:MacroF1", "the mean F1 over all expected labels is high enough"),
    "mean_score": Kind("evalci.gates.mean_score:MeanScore", "the mean score, of one scorer or all, is high enough"),
    "pass_rate": Kind("evalci.gates.pass_rate:PassRate", "enough of the judged cases pass"),
    "regression": Kind("evalci.gates.regression:Regression", "no drop against the baseline beyond chance"),
}
