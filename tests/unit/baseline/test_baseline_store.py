"""Where baselines lie."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalci.baseline.codec import encode
from evalci.baseline.snapshot import Baseline, accepted
from evalci.baseline.store import BaselineStore, saved_text
from evalci.errors import BaselineError
from tests.factories import failed, passed

STATE = Baseline(arms={"bot": (accepted(passed("a")), accepted(failed("b")))})
NAME = ".evalci/baselines/evals"


def store_in(folder: Path) -> BaselineStore:
    return BaselineStore.beside(folder / "evals.yaml")


def test_a_suites_baselines_lie_beside_its_config_under_its_name(tmp_path: Path) -> None:
    store = BaselineStore.beside(tmp_path / "support.prod.yaml")
    store.save("main", STATE)
    assert (tmp_path / ".evalci/baselines/support.prod/main.json").read_bytes() == encode(STATE)
    assert store.source("main") == ".evalci/baselines/support.prod/main.json"


def test_what_was_saved_last_is_loaded(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.save("main", Baseline())
    store.save("main", STATE)
    store.save("v1.2_rc-1", Baseline())
    assert store.load("main") == STATE
    assert store.labels() == ("main", "v1.2_rc-1")


def test_saving_leaves_nothing_else_behind(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.save("main", STATE)
    store.save("main", STATE)
    assert [path.name for path in store.folder.iterdir()] == ["main.json"]


def test_an_unknown_label_names_the_fix_and_the_labels_there_are(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with pytest.raises(BaselineError) as empty:
        store.load("main")
    assert empty.value.message == 'no baseline "main" found — record one with --save-baseline main'
    assert empty.value.hint == f"there are none yet in {NAME}"
    store.save("release", STATE)
    with pytest.raises(BaselineError) as known:
        store.load("main")
    assert known.value.hint == "baselines there are: release"
    assert known.value.exit_code == 2


@pytest.mark.parametrize(
    "label", ["", ".", "..", "a..b", ".hidden", "a/b", "../x", "a b", "a\n", "ä", "x" * 101, "a\0"]
)
def test_a_label_that_could_leave_the_folder_is_refused(tmp_path: Path, label: str) -> None:
    store = store_in(tmp_path)
    for use in (store.load, lambda label: store.save(label, STATE)):
        with pytest.raises(BaselineError, match="cannot be a baseline's label"):
            use(label)
    assert not store.folder.exists()


@given(st.text(max_size=8))
def test_a_labels_file_is_always_in_the_folder(label: str) -> None:
    store = BaselineStore(Path("/suite"), NAME)
    try:
        file = store.file(label)
    except BaselineError:
        return
    assert file.parent == Path("/suite")
    assert file.suffix == ".json"


def test_files_that_no_label_names_are_not_listed(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.save("main", STATE)
    (store.folder / "a b.json").write_text("{}")
    (store.folder / ".main.1.tmp").write_text("{}")
    (store.folder / "folder.json").mkdir()
    assert store.labels() == ("main",)


def test_a_damaged_file_is_named_by_its_place_in_the_project(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.save("main", STATE)
    store.file("main").write_text("[")
    with pytest.raises(BaselineError) as caught:
        store.load("main")
    assert caught.value.message.startswith(f"{NAME}/main.json:1:2: the baseline is no JSON")
    assert str(tmp_path) not in caught.value.message


def test_what_cannot_be_read_or_written_says_so(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.file("main").mkdir(parents=True)
    with pytest.raises(BaselineError, match=r"main\.json: Is a directory"):
        store.load("main")
    with pytest.raises(BaselineError, match=r"main\.json: "):
        store.save("main", STATE)
    assert [path.name for path in store.folder.iterdir()] == ["main.json"]


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / ".evalci").write_text("a file")
    with pytest.raises(BaselineError, match=r"main\.json: "):
        store_in(tmp_path).save("main", STATE)


def test_what_was_saved_is_told_with_how_many_passed() -> None:
    assert saved_text("main", STATE) == 'saved baseline "main" (1/2 passed)'
