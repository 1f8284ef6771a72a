"""Debian's Chromium, and the pages to open in it: reports as files, and every page of a running viewer."""

import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from evalci.history import HistoryStore
from evalci.reporters import render
from evalci.serve.server import open_viewer
from tests import samples
from tests.factories import HOSTILE, failed, passed, report_of, suite

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAGES = ("report", "matrix", "passing", "hostile", "list", "run", "diff", "refused", "empty")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium of its own. Where none is installed the test is left out, unless it is demanded."""
    if not CHROMIUM.exists() and not os.environ.get("EVALCI_TEST_STRICT"):
        pytest.skip("Debian's chromium is missing")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The address of each page by its name."""
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, report in (
        ("report", samples.support_report()),
        ("matrix", samples.matrix_report()),
        ("passing", samples.passing_report()),
        ("hostile", report_of(*(failed(f"{n} {text}", text=text) for n, text in enumerate(HOSTILE)))),
    ):
        file = folder / f"{name}.html"
        file.write_text(render("html", report), "utf-8")
        found[name] = file.as_uri()
    store, none = (HistoryStore.beside(folder / name / "evals.yaml") for name in ("some", "none"))
    _fill(store)
    with open_viewer(store, 0) as viewer, open_viewer(none, 0) as empty:
        for server in (viewer, empty):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        for name, path in (("list", ""), ("run", "run/3"), ("diff", "diff?a=2&b=3"), ("refused", "run/x")):
            found[name] = viewer.url + path
        yield {**found, "empty": empty.url}
        viewer.shutdown()
        empty.shutdown()


def _fill(store: HistoryStore) -> None:
    """Runs that got better, then worse, of several targets and with names that are hard to lay out."""
    long = suite(target="a-target-with-quite-a-long-name/" + "x" * 120, config="evals/" + "y" * 80 + ".yaml", cases=2)
    support = samples.support_report()
    earlier = replace(support, results=(passed("refund-window", text=samples.REFUND_BEFORE), *support.results[1:]))
    reports = (
        report_of(passed("a"), failed("b")),
        earlier,
        support,
        samples.matrix_report(),
        report_of(passed("a"), passed("b"), suite=long),
    )
    for number, report in enumerate(reports):
        store.add(report, datetime(2026, 1, 2, tzinfo=UTC) + timedelta(hours=number))
