"""Runs cases: bounded concurrency, dataset order, failures as data."""

from evalci.engine.engine import Attempt, CaseRun, EngineSettings, Slot, run_cases

__all__ = ["Attempt", "CaseRun", "EngineSettings", "Slot", "run_cases"]
