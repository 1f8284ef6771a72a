"""EvalCI: LLM eval suites as tests. The public Python names load on first use, so the command starts fast."""

__version__ = "1.0.0"
