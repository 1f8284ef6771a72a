"""`docs/scorers.md` lists the settings that there are, and the examples can be read."""

import re
from pathlib import Path

import pytest

from evalci.config.decode import fields_of
from evalci.config.suite import read_suite
from evalci.pipeline import KINDS
from evalci.scorers import SCORERS

TEXT = (Path(__file__).parents[3] / "docs" / "scorers.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## ([\w-]+)$\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
KINDS_HERE = (
    "close_to",
    "factuality",
    "json_fields",
    "judge",
    "levenshtein",
    "normalised_contains",
    "normalised_exact",
    "python",
    "ratio",
    "similarity",
)


@pytest.mark.parametrize("kind", KINDS_HERE)
def test_a_section_lists_the_settings_there_are(kind: str) -> None:
    listed = re.findall(r"^\| `(\w+)` \|", SECTIONS[kind], re.MULTILINE)
    forms = [SCORERS[kind].settings(), *(SCORERS[kind].settings([key]) for key in SCORERS[kind].forms)]
    assert listed == [field.key for form in forms for field in fields_of(form)]


@pytest.mark.parametrize("kind", KINDS_HERE)
def test_a_sections_example_is_a_suite_with_that_scorer(kind: str, tmp_path: Path) -> None:
    example = re.findall(r"```yaml\n(.*?)```", SECTIONS[kind], re.DOTALL)[0]
    suite = read_suite(example.encode(), file="evals.yaml", folder=tmp_path, kinds=KINDS)
    assert [block.type for block in suite.scorers] == [kind]
