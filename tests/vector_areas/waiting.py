"""The golden rows that are not run yet, and what each waits for."""

from typing import Final

AREAS: Final = {
    "adapter_executor": "the adapter target",
    "adapter_judge": "the judge with an adapter",
    "manifest": "evidence runs",
}


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
    **dict.fromkeys(_ADAPTER_CONFIG, "the adapter target"),
}
