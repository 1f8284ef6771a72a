"""EvalCI: LLM eval suites as tests. The public Python names load on first use, so the command starts fast."""

# Not from `typing`, whose import alone takes half as long as all of `evalci --version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from evalci import llm
    from evalci.python.case import Case
    from evalci.python.registry import evaluate
    from evalci.scorers.functions import scorer
    from evalci.scorers.python_score import Score

__version__ = "1.0.0"
__all__ = ["Case", "Score", "__version__", "evaluate", "llm", "scorer"]

_WHERE = {
    "Case": "evalci.python.case",
    "Score": "evalci.scorers.python_score",
    "evaluate": "evalci.python.registry",
    "scorer": "evalci.scorers.functions",
}


def __getattr__(name: str) -> "Any":
    """A public name, imported when it is first asked for."""
    from importlib import import_module

    if name == "llm":
        return import_module("evalci.llm")
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
