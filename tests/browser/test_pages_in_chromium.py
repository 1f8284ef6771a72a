"""The pages that people open, in Debian's Chromium: silent, self-contained, operable by keyboard, readable."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalci.reporters import render
from tests import factories

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "support-bot"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not Path(CHROMIUM).exists() and not os.environ.get("EVALCI_TEST_STRICT"), reason="Debian's chromium is missing"
    ),
]

# The lowest contrast of any text that is shown, by the formula of WCAG 2; large text may have 3.
CONTRAST = """() => {
  const rgb = c => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0.99) return c; }
    return rgb(getComputedStyle(document.documentElement).backgroundColor); };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !e.checkVisibility() || e.closest('style')) continue;
    const s = getComputedStyle(e), a = lum(rgb(s.color)), b = lum(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(s.fontSize) >= 24 || (parseFloat(s.fontSize) >= 18.66 && s.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) bad.push([e.tagName, e.className, ratio.toFixed(2), s.color]);
  }
  return bad.slice(0, 5);
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The report as a file, and each page of the viewer."""
    folder = tmp_path_factory.mktemp("viewer") / "support-bot"
    shutil.copytree(EXAMPLE, folder)
    config, page = str(folder / "evals.yaml"), folder / "report.html"
    for _ in range(2):
        run = [sys.executable, "-m", "evalci", "run", config, "--baseline", "main", "--html", str(page)]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen(
        [sys.executable, "-m", "evalci", "serve", config, "--port", "7917"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        assert found is not None
        yield [page.as_uri(), *(found[0] + path for path in ("", "run/1", "diff?a=1&b=2"))]
    finally:
        server.terminate()
        server.wait(10)
        if server.stdout is not None:
            server.stdout.close()


@pytest.mark.parametrize("number", range(4), ids=["report", "list", "run", "diff"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_a_page_is_silent_self_contained_and_readable(
    browser: Any, pages: list[str], number: int, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages[number])
    page.wait_for_load_state("load")
    assert said == []
    assert [url for url in asked if url != pages[number]] == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate(CONTRAST) == []
    context.close()


@pytest.mark.parametrize("number", range(4), ids=["report", "list", "run", "diff"])
def test_the_keyboard_reaches_everything_and_opens_the_details(browser: Any, pages: list[str], number: int) -> None:
    page = browser.new_page()
    page.goto(pages[number])
    wanted = page.evaluate(
        "[...document.querySelectorAll('a[href], summary, input, button')].filter(e => e.checkVisibility()).length"
    )
    radios = page.evaluate("new Set([...document.querySelectorAll('input[type=radio]')].map(e => e.name)).size")
    all_radios = page.evaluate("document.querySelectorAll('input[type=radio]').length")
    page.evaluate("window.reached = new Set(); document.addEventListener('focusin', e => window.reached.add(e.target))")
    for _ in range(wanted + 3):
        page.keyboard.press("Tab")
    # A group of radio buttons is one stop; the arrows move inside it.
    assert page.evaluate("window.reached.size") >= wanted - all_radios + radios
    if page.evaluate("!!document.querySelector('summary')"):
        page.evaluate("document.querySelector('details').open = false; document.querySelector('summary').focus()")
        page.keyboard.press("Enter")
        assert page.evaluate("document.querySelector('details').open")
    page.close()


@pytest.mark.slow
def test_five_thousand_cases_open_within_three_seconds(browser: Any, tmp_path: Path) -> None:
    text = "The parcel left on Friday and comes within three working days. " * 4
    results = [
        (factories.failed if number % 7 == 0 else factories.passed)(f"case-{number:05}", text=text)
        for number in range(5000)
    ]
    file = tmp_path / "large.html"
    file.write_text(render("html", factories.report_of(*results)), "utf-8")
    page = browser.new_page()
    began = time.perf_counter()
    page.goto(file.as_uri())
    took = time.perf_counter() - began
    print(f"{file.stat().st_size / 1e6:.1f} MB, loaded in {took:.2f} s")
    assert file.stat().st_size < 15_000_000
    assert took < 3
    page.close()
