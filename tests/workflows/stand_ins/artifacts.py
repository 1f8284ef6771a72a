"""Stands for actions/upload-artifact and actions/download-artifact, over folders: `artifacts.py upload|download`.

What is kept of the real ones, since workflows build on it: hidden files stay behind unless asked for, there can be one
artifact of a name, a single file lies at the artifact's top, and so does what a pattern found when it is one alone.
"""

import fnmatch
import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    kept = Path(os.environ["RUN_FOLDER"], "artifacts")
    workspace = Path(os.environ["GITHUB_WORKSPACE"])
    {"upload": upload, "download": download}[sys.argv[1]](kept, workspace)


def upload(kept: Path, workspace: Path) -> None:
    name, lines = os.environ["NAME"], os.environ["WHAT"].split("\n")
    (wanted,) = (line for line in lines if line and not line.startswith("!"))
    left_out = [workspace / line[1:] for line in lines if line.startswith("!")]
    hidden = os.environ["HIDDEN"] == "true"
    found = [path for path in matches(workspace, wanted) if not any(path.is_relative_to(out) for out in left_out)]
    found = [path for path in found if hidden or not is_hidden(path.relative_to(workspace))]
    if not found:
        print(f"::warning::No files were found with the provided path: {wanted}. No artifacts will be uploaded.")
        return
    top = workspace / (os.path.dirname(wanted) if is_pattern(wanted) or (workspace / wanted).is_file() else wanted)
    place = kept / name
    place.mkdir(parents=True)  # a second one of this name is a conflict
    for path in found:
        copy(path, place / path.relative_to(top))


def matches(workspace: Path, wanted: str) -> list[Path]:
    """The files of a path or a pattern, and all files of folders that match."""
    places = sorted(workspace.glob(wanted)) if is_pattern(wanted) else [workspace / wanted]
    files = [path for place in places for path in (place, *place.rglob("*")) if path.is_file()]
    return sorted(set(files))


def is_pattern(wanted: str) -> bool:
    return "*" in wanted


def is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def download(kept: Path, workspace: Path) -> None:
    name, pattern = os.environ["NAME"], os.environ["PATTERN"]
    target = workspace / os.environ["WHAT"]
    found = [path for path in sorted(kept.glob("*")) if path.name == name or fnmatch.fnmatchcase(path.name, pattern)]
    if name and not found:
        raise SystemExit(f"Unable to download artifact(s): Artifact not found for name: {name}")
    for artifact in found:
        # https://github.com/actions/download-artifact#breaking-changes: one alone gets no folder of its name.
        place = target if len(found) == 1 else target / artifact.name
        for path in artifact.rglob("*"):
            if path.is_file():
                copy(path, place / path.relative_to(artifact))


def copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, to)


if __name__ == "__main__":
    main()
