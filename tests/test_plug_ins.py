"""A plug-in is a file, a row, a section in the docs and golden cases: a row without the other three fails here."""

import re
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

from evalci.config.decode import fields_of
from evalci.config.kinds import Kind
from evalci.config.settings import NOTE
from evalci.gates import GATES
from evalci.reporters import REPORTERS
from evalci.scorers import SCORERS
from evalci.targets import TARGETS

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
TABLES: Final = {"targets": TARGETS, "scorers": SCORERS, "gates": GATES, "reporters": REPORTERS}
ROWS: Final = [(family, kind) for family, table in TABLES.items() for kind in table]
SETTINGS_TABLES: Final = {"targets": TARGETS, "scorers": SCORERS, "gates": GATES}
SETTINGS: Final = [(family, kind) for family, table in SETTINGS_TABLES.items() for kind in table]
# Reporters share the folders tests/golden/reporters/*/, each with a file of its own.
REPORT_FILES: Final = {"terminal": "terminal.txt", "json": "report.json", "junit": "junit.xml", "markdown": "report.md"}

# (family, kind, "docs" or "golden"): what it waits for. Empty when everything is built.
WAITING: Final[dict[tuple[str, str, str], str]] = {}


def every_form(row: Kind) -> list[type]:
    return [row.settings(), *(row.settings([key]) for key in row.forms)]


def golden_files(family: str, kind: str) -> list[Path]:
    if family == "reporters":
        return list((GOLDEN / family).glob(f"*/{REPORT_FILES.get(kind, f'*.{kind}')}"))
    return [path for path in (GOLDEN / family / kind).rglob("*") if path.is_file()]


def has_section(family: str, kind: str) -> bool:
    text = (ROOT / "docs" / f"{family}.md").read_text("utf-8")
    return re.search(rf"^## {re.escape(kind)}$", text, re.MULTILINE) is not None


def waits(family: str, kind: str, what: str) -> None:
    if why := WAITING.get((family, kind, what)):
        pytest.skip(f"waits: {why}")


@pytest.mark.parametrize(("family", "kind"), ROWS)
def test_a_row_names_files_of_its_own_family_and_says_in_one_line_what_it_is(family: str, kind: str) -> None:
    row = TABLES[family][kind]
    for where in (row.where, *getattr(row, "forms", {}).values()):
        module, _, name = where.partition(":")
        assert module.startswith(f"evalci.{family}.")
        assert find_spec(module) is not None
        assert name.isidentifier()
    assert row.about == row.about.strip() != ""
    assert len(row.about.splitlines()) == 1
    assert len(row.about) < 80


@pytest.mark.parametrize(("family", "kind"), SETTINGS)
def test_its_settings_load_and_each_says_what_it_is_about(family: str, kind: str) -> None:
    for settings in every_form(SETTINGS_TABLES[family][kind]):
        assert is_dataclass(settings)
        assert settings.__doc__
        assert [field.name for field in fields(settings) if not field.metadata[NOTE].about] == []


@pytest.mark.parametrize(("family", "kind"), SETTINGS)
def test_a_form_is_chosen_by_a_key_that_it_has_and_the_others_have_not(family: str, kind: str) -> None:
    row = SETTINGS_TABLES[family][kind]
    for key in row.forms:
        having = [form for form in every_form(row) if key in {field.key for field in fields_of(form)}]
        assert having == [row.settings([key])]


@pytest.mark.parametrize("kind", REPORTERS)
def test_its_renderer_loads(kind: str) -> None:
    assert callable(REPORTERS[kind].render())


@pytest.mark.parametrize(("family", "kind"), ROWS)
def test_it_has_a_section_in_the_docs(family: str, kind: str) -> None:
    waits(family, kind, "docs")
    assert has_section(family, kind), f"docs/{family}.md has no section '## {kind}'"


@pytest.mark.parametrize(("family", "kind"), ROWS)
def test_it_has_golden_files(family: str, kind: str) -> None:
    waits(family, kind, "golden")
    assert golden_files(family, kind), f"tests/golden/{family} has no files of {kind}"


@pytest.mark.parametrize("family", TABLES)
def test_the_docs_and_the_golden_folders_tell_of_no_kind_that_is_not_there(family: str) -> None:
    text = (ROOT / "docs" / f"{family}.md").read_text("utf-8")
    assert set(re.findall(r"^## ([\w-]+)$", text, re.MULTILINE)) <= set(TABLES[family])
    assert set(re.findall(r"^\| \[`([\w-]+)`\]", text, re.MULTILINE)) == set(TABLES[family])
    if family != "reporters":
        assert {path.name for path in (GOLDEN / family).iterdir()} <= set(TABLES[family])


def test_what_waits_is_still_missing() -> None:
    there = [
        (family, kind, what)
        for family, kind, what in WAITING
        if (has_section(family, kind) if what == "docs" else golden_files(family, kind))
    ]
    assert there == [], "take these out of WAITING"
