"""`evalci manifest verify`: is an evidence folder what its manifest says?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evalci.cli.actions import Action, run_action
from evalci.cli.console import Console, Parser
from evalci.errors import EXIT_FAILED, EXIT_INCOMPLETE, EXIT_PASSED
from evalci.wording import count_of, printable

ABOUT: Final[Mapping[str, str]] = {"verify": "recompute every digest and record; name each file that does not agree"}


def main(words: list[str], console: Console) -> int:
    """Run the action that the first word names."""
    return run_action("manifest", ACTIONS, ABOUT, words, console)


def verify_folder(words: list[str], console: Console) -> int:
    """0 when the folder holds, 1 when anything in it was changed, 3 when it holds but describes an incomplete run."""
    parser = Parser("manifest verify", "Recompute everything that an evidence folder says.")
    parser.add_argument("folder", metavar="DIR", help="the folder with manifest.json")
    parser.add_argument("--digest", metavar="SHA256", help="the digest of manifest.json that the run printed")
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED

    from evalci.evidence.verify import verify

    stated = None if arguments.digest is None else arguments.digest.removeprefix("sha256:")
    found = verify(Path(arguments.folder), stated)
    for problem in found.problems:
        console.error(printable(problem))
    if found.problems or found.manifest is None:
        console.error(f"{arguments.folder}: does not hold: {count_of(len(found.problems), 'problem')}")
        return EXIT_FAILED
    artifacts, verdict = found.manifest["artifacts"], found.manifest["verdict"]
    console.write(f"{arguments.folder}: holds ({count_of(len(artifacts), 'artifact')})\n")
    console.write(f"manifest.json sha256:{found.digest}\n")
    if not found.manifest["complete"]:
        console.write("the run it describes is incomplete, and so is no evidence\n")
        return EXIT_INCOMPLETE
    console.write(f"the run it describes {'passed' if verdict['passed'] else 'did not pass'}\n")
    return EXIT_PASSED


ACTIONS: Final[Mapping[str, Action]] = {"verify": verify_folder}
