"""The golden rows that are not run yet, and what each waits for."""

from typing import Final

AREAS: Final = {
    "adapter_executor": "the adapter target",
    "adapter_judge": "the judge with an adapter",
    "close_to": "the close_to scorer",
    "json_fields": "the json_fields scorer",
    "judge_choices": "the choice form of judge",
    "levenshtein": "the levenshtein scorer",
    "manifest": "evidence runs",
    "normalised_exact": "the normalised_exact scorer",
    "ratio": "the ratio scorer",
    "score_invariants": "suites in Python",
    "scorer_returns": "suites in Python",
}

_PYTHON_SCORERS: Final = (
    "contains-es-01",
    "contains-es-02",
    "contains-es-03",
    "contains-es-04",
    "contains-es-07",
    "contains-es-09",
    "contains-es-10",
    "exact-es-01",
    "exact-es-02",
    "exact-es-04",
    "exact-es-05",
    "exact-es-06",
    "exact-es-08",
    "exact-es-09",
    "exact-es-10",
    "regex-es-02",
    "regex-es-04",
    "regex-es-05",
    "regex-es-06",
    "regex-es-07",
)
_PYTHON_CASES: Final = (
    "dataset_validation-es-01",
    "dataset_validation-es-02",
    "dataset_validation-es-03",
    "dataset_validation-es-04",
)

_ADAPTER_CONFIG: Final = (
    "config_validation-st-01",
    "config_validation-st-02",
    "config_validation-st-05",
    "config_validation-st-06",
    "config_validation-st-07",
    "config_validation-st-08",
    "config_validation-st-09",
    "config_validation-st-10",
    "config_validation-st-11",
    "config_validation-st-12",
    "config_validation-st-13",
    "config_validation-st-15",
    "config_validation-st-17",
    "config_validation-st-18",
    "config_validation-st-19",
    "config_validation-st-20",
)

ROWS: Final = {
    **dict.fromkeys(_PYTHON_SCORERS, "the scorers of suites in Python share a name with these, but no meaning"),
    **dict.fromkeys(_PYTHON_CASES, "the cases of suites in Python"),
    **dict.fromkeys(_ADAPTER_CONFIG, "the adapter target"),
}
