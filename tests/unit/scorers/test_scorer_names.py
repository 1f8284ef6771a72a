"""`from evalci.scorers import exact` gives the function of Python suites, whatever was imported before."""

import pkgutil
import subprocess
import sys

import pytest

import evalci
from evalci import scorers
from evalci.scorers import FUNCTIONS, SCORERS


def test_no_module_stands_in_the_place_of_a_function() -> None:
    modules = {module.name for module in pkgutil.iter_modules(scorers.__path__)}
    assert modules & set(FUNCTIONS) == set()


def test_the_functions_are_there_after_every_yaml_kind_was_imported() -> None:
    for kind in SCORERS.values():
        kind.settings()
    for name in FUNCTIONS:
        function = getattr(scorers, name)
        assert function.__module__ == "evalci.scorers.functions"


def test_the_public_names_are_served_and_others_are_not() -> None:
    assert evalci.Score(scorer_name="s", value=1.0).passed is None
    assert evalci.llm.call
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = scorers.nothing
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = evalci.nothing


def test_the_package_alone_loads_nothing_of_itself() -> None:
    code = "import evalci, sys; print([name for name in sys.modules if name.startswith('evalci.')])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
