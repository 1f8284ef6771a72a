"""`evalci merge`: the reports of all shards into the report of the whole suite, judged as a whole."""

import math
from pathlib import Path

from evalci.assemble import Accepted, Asked
from evalci.cli.console import Console, Parser
from evalci.cli.outputs import Outputs, add_output_options
from evalci.cli.run_command import DEFAULT_CONFIG
from evalci.errors import EXIT_PASSED, UsageError
from evalci.merging import merge, read_parts
from evalci.pipeline import Surroundings


def main(words: list[str], console: Console) -> int:
    """Write the whole report and return the exit code of its verdict."""
    parser = Parser("merge", "The reports of all shards into the one report that an unsharded run would have written.")
    parser.add_argument("shards", nargs="+", metavar="SHARD", help="JSON reports of --shard runs, or folders of them")
    parser.add_argument("--config", default=DEFAULT_CONFIG, help="the suite that was run (default: evals.yaml)")
    parser.add_argument("--baseline", metavar="LABEL", help="fail on what got worse since this accepted state only")
    parser.add_argument("--threshold", type=float, metavar="X", help="fail when the mean score is below X")
    add_output_options(parser)
    arguments = parser.read(words, console)
    if arguments is None:
        return EXIT_PASSED
    outputs = Outputs.of(arguments, console)
    config = Path(arguments.config)
    if arguments.threshold is not None and not math.isfinite(arguments.threshold):
        raise UsageError("--threshold takes a finite number")
    asked = Asked(accepted=_accepted(config, arguments.baseline), threshold=arguments.threshold)
    around = Surroundings(environ=console.environ, on_bug=console.bug)
    _, report = merge(read_parts([Path(shard) for shard in arguments.shards]), config, asked, around)
    outputs.publish(report)
    return report.verdict.exit_code


def _accepted(config: Path, label: str | None) -> Accepted | None:
    if label is None:
        return None
    from evalci.baseline.store import BaselineStore

    store = BaselineStore.beside(config)
    return Accepted(label=label, source=store.source(label), baseline=store.load(label))
