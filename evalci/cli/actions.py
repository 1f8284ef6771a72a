"""Commands that have actions of their own, such as `evalci cassette merge`."""

from collections.abc import Callable, Mapping

from evalci.cli.console import Console
from evalci.errors import EXIT_PASSED, EXIT_USAGE, UsageError
from evalci.wording import choices_hint, quoted

Action = Callable[[list[str], Console], int]


def run_action(
    command: str, actions: Mapping[str, Action], about: Mapping[str, str], words: list[str], console: Console
) -> int:
    """Run the action that the first word names, or show which there are."""
    if not words or words[0] in ("-h", "--help"):
        width = max(map(len, about))
        rows = "".join(f"  {name:<{width}}  {text}\n" for name, text in about.items())
        console.write(f"usage: evalci {command} ACTION [OPTIONS]\n\nactions:\n{rows}")
        return EXIT_PASSED if words else EXIT_USAGE
    action, *rest = words
    if action not in actions:
        hint = choices_hint("actions", action, about)
        raise UsageError(f"unknown action {quoted(action)} of evalci {command}", hint=hint)
    return actions[action](rest, console)
