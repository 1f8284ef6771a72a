"""Data files: inside the project, or not at all."""

import os
from pathlib import Path

import pytest

from evalci.files import FileRefused, ProjectFiles, read_bounded


def _project(tmp_path: Path) -> ProjectFiles:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "evals").mkdir()
    (tmp_path / "repo" / "data.jsonl").write_text("inside")
    (tmp_path / "secret.txt").write_text("outside")
    return ProjectFiles.around(tmp_path / "repo" / "evals")


def test_the_project_is_the_nearest_folder_with_git_in_it(tmp_path: Path) -> None:
    assert _project(tmp_path).root == tmp_path / "repo"


def test_without_git_the_project_is_the_configs_own_folder(tmp_path: Path) -> None:
    assert ProjectFiles.around(tmp_path).root == tmp_path


def test_a_file_above_the_config_but_inside_the_project_is_read(tmp_path: Path) -> None:
    assert _project(tmp_path).read("../data.jsonl", tmp_path / "repo" / "evals") == b"inside"


@pytest.mark.parametrize("path", ["../../secret.txt", "{tmp}/secret.txt", "link.txt", "linked/secret.txt", "a\0b"])
def test_a_file_outside_the_project_is_refused_however_it_is_named(tmp_path: Path, path: str) -> None:
    files = _project(tmp_path)
    folder = tmp_path / "repo" / "evals"
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path)
    with pytest.raises(FileRefused):
        files.read(path.format(tmp=tmp_path), folder)


def test_a_pipe_is_no_data_file_and_nobody_waits_for_it(tmp_path: Path) -> None:
    files = _project(tmp_path)
    os.mkfifo(tmp_path / "repo" / "pipe")
    with pytest.raises(FileRefused, match="pipe: it is a pipe or a device"):
        files.read("pipe", tmp_path / "repo")


def test_what_has_no_end_is_read_up_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "whole").write_bytes(b"x" * 100)
    assert len(read_bounded(tmp_path / "whole", 10)) == 100
    assert len(read_bounded(Path("/dev/zero"), 10)) == 11


def test_a_sibling_that_shares_the_projects_name_is_outside(tmp_path: Path) -> None:
    files = _project(tmp_path)
    (tmp_path / "repo-other").mkdir()
    (tmp_path / "repo-other" / "x").write_text("no")
    with pytest.raises(FileRefused, match="outside the project"):
        files.read("../../repo-other/x", tmp_path / "repo" / "evals")


def test_allow_outside_lets_it_be_read(tmp_path: Path) -> None:
    root = _project(tmp_path).root
    assert ProjectFiles(root=root, allow_outside=True).read("../../secret.txt", root / "evals") == b"outside"


def test_a_missing_file_says_which_and_why(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match=r"nope\.jsonl: No such file"):
        _project(tmp_path).read("nope.jsonl", tmp_path / "repo" / "evals")


def test_reports_name_files_from_the_project_on(tmp_path: Path) -> None:
    files = _project(tmp_path)
    assert files.name(tmp_path / "repo" / "evals" / "cases.jsonl") == "evals/cases.jsonl"
    assert files.name(tmp_path / "secret.txt") == "secret.txt"
