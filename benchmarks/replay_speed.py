"""How long a replay of 10,000 cases takes, beside the least that Python could do; and how long `--version` takes.

    python benchmarks/replay_speed.py [CASES] [ROUNDS]

Records the suite once from a stub on loopback, then times both in turns. Prints the median of the ratios: machines are
noisy, ratios within one run are not.
"""

import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent / "replay"


def main() -> None:
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    evalci = [str(Path(sys.executable).with_name("evalci"))]
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        record(suite, cases, evalci)
        floor = [sys.executable, str(HERE / "floor.py"), str(suite), f"{folder}/floor.json"]
        replay = [*evalci, "run", "--json", f"{folder}/report.json", "-q"]
        compare(f"replay of {cases} cases", replay, "floor", floor, suite, rounds, wanted=4)
        compare(
            "evalci --version",
            [*evalci, "--version"],
            "python -c pass",
            [sys.executable, "-c", "pass"],
            suite,
            rounds,
            wanted=2,
        )


def record(suite: Path, cases: int, evalci: list[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    server = subprocess.Popen([sys.executable, str(HERE / "stub_chat.py"), port])
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                    break
            time.sleep(0.05)
        subprocess.run([sys.executable, str(HERE / "make_suite.py"), str(suite), str(cases), port], check=True)
        subprocess.run([*evalci, "record", "-q", "--no-history"], cwd=suite, check=True, stdout=subprocess.DEVNULL)
    finally:
        server.terminate()
        server.wait()


def compare(
    name: str, ours: list[str], other: str, theirs: list[str], folder: Path, rounds: int, wanted: float
) -> None:
    timed(ours, folder), timed(theirs, folder)
    pairs = [(timed(ours, folder), timed(theirs, folder)) for _ in range(rounds)]
    ratio = statistics.median(a / b for a, b in pairs)
    a, b = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
    print(f"{name}: {a:.0f} ms, {other}: {b:.0f} ms, median ratio {ratio:.2f} (wanted: at most {wanted})")


def timed(command: list[str], folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
