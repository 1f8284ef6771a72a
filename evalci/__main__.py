"""The door from the operating system: hands streams and environment to `main`."""

import sys


def run() -> None:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from evalci import __version__

        sys.stdout.write(f"evalci {__version__}\n")
        return
    import gc
    import os

    # A run makes a few hundred thousand objects that all live to its end; looking through them again and again
    # for garbage costs a fifth of a replay.
    gc.set_threshold(100_000, 50, 50)

    from evalci.cli import main

    sys.exit(main(sys.argv[1:], stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr, environ=os.environ))


if __name__ == "__main__":
    run()
