"""Does a Python function of yours find the output good? It takes what it declares, and may be async."""

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, ClassVar

from evalci import llm
from evalci.config.settings import Fault, setting
from evalci.files import FileRefused
from evalci.scorers.function_scorer import FunctionScorer
from evalci.scorers.signature import WrongSignature, arguments_of
from evalci.tools import Tools
from evalci.wording import choices_hint, quoted


@dataclass(frozen=True, kw_only=True, slots=True)
class PythonFile:
    """Calls a function with the output, the case's `expected` and the case, as far as it takes them."""

    # A function may make model calls, whose key must be seen nowhere.
    pass_env: ClassVar[tuple[str, ...]] = (llm.KEY_VARIABLE,)

    function: str = setting(about="file.py:name, relative to the config")
    threshold: float | None = setting(None, about="the number that passes; no verdict without", low=0, high=1)

    def build(self, tools: Tools) -> FunctionScorer:
        file, colon, name = self.function.rpartition(":")
        if not colon or not file.endswith(".py") or not name.isidentifier():
            raise Fault("function", f"python scorer: {quoted(self.function)} is not of the form file.py:name")
        try:
            source = tools.files.read(file, tools.folder)
        except FileRefused as exc:
            raise Fault("function", f"python scorer: {exc}") from exc
        function = _function(tools.folder / file, name, self.function)
        return FunctionScorer(
            function,
            llm.recorded_caller(tools),
            threshold=self.threshold,
            fingerprint=hashlib.sha256(source).hexdigest(),
        )


def _function(path: Path, name: str, shown: str) -> Callable[..., Any]:
    """The function of that name. Raises `Fault` when the file cannot be loaded, or has no such function."""
    module = load_file(path)
    if isinstance(module, str):
        raise Fault("function", f"python scorer: {shown.rpartition(':')[0]} cannot be loaded: {module}")
    found: Any = vars(module).get(name)
    if not callable(found):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise Fault(
            "function", f"python scorer: there is no function {quoted(name)}", choices_hint("names", name, known)
        )
    try:
        arguments_of(found)
    except WrongSignature as exc:
        raise Fault("function", f"python scorer: {exc}") from exc
    function: Callable[..., Any] = found
    return function


def load_file(path: Path) -> Any:
    """A Python file as a module of its own, run anew; or, as text, why it cannot be loaded.

    Files beside it can be imported, as they can when Python runs it.
    """
    name = f"evalci_file_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    folder = str(path.parent.absolute())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as exc:
        return f"it ends the program ({exc.code})"
    except Exception as exc:
        return f"{type(exc).__name__}: {exc}{_line(exc, path)}"
    return module


def _line(exc: BaseException, path: Path) -> str:
    """The line of the file that failed, as far as it is known."""
    if isinstance(exc, SyntaxError):
        return ""
    line, trace = None, exc.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" (line {line})"
