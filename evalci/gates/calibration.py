"""Does a judge still agree with people as far as its config says? Measured anew from the run's own scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from evalci.datasets.labels import Label
from evalci.gates.bounds import at_least
from evalci.model import CaseResult, GateOutcome, Score
from evalci.summary.agreement import Labelled, agreement
from evalci.wording import count_of

TYPE: Final = "calibration"


def keeps_agreement(
    results: Sequence[CaseResult],
    place: int,
    *,
    scorer: str,
    labels: Mapping[str, Label],
    threshold: float,
    min_kappa: float,
) -> GateOutcome:
    """Whether kappa reaches its floor. `place` is the judge's among the scores of a case.

    An answer that the judge could not measure, one that is not the one that people saw, and a label without a case
    count as disagreement.
    """
    answers = list(labelled(results, place, labels))
    missing = len(labels) - len(answers)
    stale = sum(answer.is_stale for answer in answers)
    unmeasured = sum(answer.value is None for answer in answers) - stale
    table = agreement([_settled(answer, threshold) for answer in answers], threshold)
    for label in (label for case_id, label in labels.items() if case_id not in {a.case_id for a in answers}):
        more = {"people_only": table.people_only + 1} if label.passed else {"scorer_only": table.scorer_only + 1}
        table = replace(table, **more)
    remarks = [
        "kappa cannot be told, since judge and people say the same of every answer" if table.kappa is None else "",
        f"{count_of(unmeasured, 'answer')} not measured" if unmeasured else "",
        f"{count_of(missing, 'label')} without a case" if missing else "",
        f"{count_of(stale, 'label')} about another answer" if stale else "",
    ]
    remark = "; ".join(filter(None, remarks))
    return at_least(TYPE, min_kappa, table.kappa, of=scorer, remark=remark)


def labelled(results: Sequence[CaseResult], place: int, labels: Mapping[str, Label]) -> Iterator[Labelled]:
    """Every labelled case of the run with the value that one scorer gave it; none where people saw another answer."""
    for result in results:
        label = labels.get(result.id)
        if label is not None:
            is_stale = label.output is not None and (result.output is None or result.output.text != label.output)
            value = result.scores[place].value if place < len(result.scores) and not is_stale else None
            yield Labelled(case_id=result.id, human=label.passed, value=value, is_stale=is_stale)


def validated(results: Sequence[CaseResult], place: int, kappa: float) -> tuple[CaseResult, ...]:
    """The results, their judge no longer said to be unvalidated but as good as it was measured to be."""
    return tuple(
        replace(
            result,
            scores=_marked(result.scores, place, kappa),
            trials=tuple(replace(trial, scores=_marked(trial.scores, place, kappa)) for trial in result.trials),
        )
        for result in results
    )


def _settled(answer: Labelled, threshold: float) -> Labelled:
    """The answer with a value; where there was none, one that disagrees."""
    if answer.value is not None:
        return answer
    return replace(answer, value=threshold - 1 if answer.human else threshold)


def _marked(scores: tuple[Score, ...], place: int, kappa: float) -> tuple[Score, ...]:
    if place >= len(scores):
        return scores
    score = scores[place]
    about = {key: value for key, value in (score.metadata or {}).items() if key != "unvalidated"}
    return (*scores[:place], replace(score, metadata={**about, "kappa": kappa}), *scores[place + 1 :])
