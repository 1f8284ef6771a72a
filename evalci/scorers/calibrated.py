"""What a judge's config says of its agreement with people: the labels, and the kappa that it must keep."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evalci.config.settings import Fault, setting
from evalci.datasets.labels import Label, read_labels
from evalci.errors import DatasetError
from evalci.files import FileRefused
from evalci.tools import Tools
from evalci.wording import plain_number


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """Human labels by case id, the value from which on the judge lets pass, and the least agreement of the two."""

    labels: Mapping[str, Label]
    threshold: float
    min_kappa: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibrated:
    """`calibrated:` of a judge. Every run measures the agreement anew."""

    labels: str = setting(about="a JSONL file of case_id, passed and, to be sure, the output that people judged")
    min_kappa: float = setting(about="the least Cohen's kappa between judge and labels, -1 to 1")

    def check(self, who: str) -> Iterator[Fault]:
        if not -1 <= self.min_kappa <= 1:
            yield Fault("min_kappa", f"{who}: min_kappa {plain_number(self.min_kappa)} outside -1.0..=1.0")

    def load(self, tools: Tools, threshold: float) -> Calibration:
        """The labels read. Raises `Fault` when they cannot be."""
        try:
            labels = read_labels(tools.files.read(self.labels, tools.folder), self.labels)
        except FileRefused as exc:
            raise Fault("calibrated.labels", f"failed to read labels {exc}") from exc
        except DatasetError as exc:
            raise Fault("calibrated.labels", f"the labels cannot be used: {exc.lines()[0]}") from exc
        return Calibration(labels=labels, threshold=threshold, min_kappa=self.min_kappa)
