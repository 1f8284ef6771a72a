"""Rules over the tool calls of an agent run: how they are written in a suite, and what breaks them."""

from evalci.scorers.trajectories.rules import Rule

__all__ = ["Rule"]
