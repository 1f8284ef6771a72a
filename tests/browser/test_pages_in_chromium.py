"""The pages that people open, in Debian's Chromium: silent, self-contained, operable by keyboard, readable."""

import time
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from evalci.reporters import render
from tests import samples

from .conftest import PAGES

pytestmark = pytest.mark.browser
Pages = Mapping[str, str]
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]

# Every text that is shown and whose contrast is below what WCAG 2 asks of AA: 4.5, and 3 for large text. What lies
# behind a text is painted from the page upwards, since backgrounds may let through what is below.
CONTRAST = """() => {
  const rgba = c => { const n = c.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = c => c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => {
    const canvas = matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18,18,18)' : 'rgb(255,255,255)';
    const below = e.parentElement ? behind(e.parentElement) : rgba(canvas);
    return over(rgba(getComputedStyle(e).backgroundColor), below);
  };
  const opacity = e => e ? getComputedStyle(e).opacity * opacity(e.parentElement) : 1;
  const found = {low: [], seen: 0};
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !e.checkVisibility({visibilityProperty: true})) continue;
    const s = getComputedStyle(e), below = behind(e), ink = rgba(s.color);
    ink[3] *= opacity(e);
    const a = light(over(ink, below)), b = light(below);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(s.fontSize) >= 24 || (parseFloat(s.fontSize) >= 18.66 && s.fontWeight >= 700);
    found.seen += 1;
    if (ratio < (large ? 3 : 4.5)) found.low.push([e.tagName, e.className, ratio.toFixed(2), s.color]);
  }
  return found;
}"""

# All that a keyboard should reach: a group of radio buttons is one stop, what is folded away is none.
STOPS = """() => {
  const groups = new Set();
  return [...document.querySelectorAll('a[href], summary, input, button, [tabindex="0"]')]
    .filter(e => e.checkVisibility() && !(e.type === 'radio' && groups.size === groups.add(e.name).size)).length;
}"""
REACHED = """() => { window.reached = new Set();
  const stop = e => e.type === 'radio' ? e.name : e;
  document.addEventListener('focusin', event => window.reached.add(stop(event.target))); }"""
OUTLINED = """() => { const e = document.activeElement, s = getComputedStyle(e.type === 'radio' ? e.parentElement : e);
  return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2; }"""

HEADINGS = """[...document.querySelectorAll('h1,h2,h3,h4')]
  .filter(e => !e.closest('details')).map(e => Number(e.tagName[1]))"""


@pytest.fixture
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A fresh page; `pytest.mark.parametrize("look", …)` gives its width and theme."""
    asked = getattr(request.node, "callspec", None)
    width, theme = asked.params.get("look", LOOKS[0]) if asked else LOOKS[0]
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_silent_asks_for_nothing_and_fits_the_window(
    page: Any, pages: Pages, name: str, look: tuple[int, str]
) -> None:
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages[name])
    # Chromium itself reports the status of a page that was refused; that is no word of the page's own.
    assert [text for text in said if "status of 400" not in text] == []
    assert asked == [pages[name]]
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= look[0]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
@pytest.mark.parametrize("name", PAGES)
def test_every_text_has_contrast_enough(page: Any, pages: Pages, name: str, look: tuple[int, str]) -> None:
    page.goto(pages[name])
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    found = page.evaluate(CONTRAST)
    assert found["low"] == []
    assert found["seen"] >= 3
    lit = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] > 128")
    assert lit is (look[1] == "light")


@pytest.mark.parametrize("name", PAGES)
def test_the_keyboard_reaches_everything_and_shows_where_it_is(page: Any, pages: Pages, name: str) -> None:
    page.goto(pages[name])
    stops = page.evaluate(STOPS)
    page.evaluate(REACHED)
    for _ in range(stops):
        page.keyboard.press("Tab")
        assert page.evaluate(OUTLINED)
    assert page.evaluate("window.reached.size") == stops


@pytest.mark.parametrize("name", ["report", "matrix", "diff"])
def test_what_is_folded_opens_and_closes_by_keyboard(page: Any, pages: Pages, name: str) -> None:
    page.goto(pages[name])
    folded = page.locator("details:not([open]) > summary")
    count = folded.count()
    assert count
    first = folded.first.element_handle()
    for key in ("Enter", "Space"):
        first.focus()
        page.keyboard.press(key)
        assert folded.count() == count - 1
        assert first.evaluate("summary => summary.nextElementSibling.checkVisibility()")
        page.keyboard.press(key)
        assert folded.count() == count


def test_the_first_stop_skips_to_the_cases(page: Any, pages: Pages) -> None:
    page.goto(pages["report"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.keyboard.press("Enter")
    assert abs(page.evaluate("document.getElementById('cases').getBoundingClientRect().top")) < 200


def test_the_filter_shows_the_kind_of_case_that_was_chosen_with_arrow_keys(page: Any, pages: Pages) -> None:
    page.goto(pages["report"])
    shown = "[...document.querySelectorAll('.cases .case')].filter(e => e.checkVisibility()).map(e => e.className)"
    assert len(page.evaluate(shown)) == 31
    page.locator(".filter input:checked").focus()
    for kind, count in (("failing", 6), ("passed", 24), ("unjudged", 1), ("flaky", 1)):
        page.keyboard.press("ArrowRight")
        seen = page.evaluate(shown)
        assert len(seen) == count
        assert all(kind in classes.split() for classes in seen)


def test_a_link_to_a_case_unfolds_it_even_when_the_filter_hides_it(page: Any, pages: Pages) -> None:
    page.goto(pages["report"])
    page.locator(".f-failing").check()
    fixed = page.locator(".group", has_text="Fixed").locator("details")
    fixed.locator("summary").click()
    fixed.locator("a", has_text="the whole case").click()
    case = page.locator(".cases .case", has_text="gift-card-2")
    assert case.get_attribute("open") is not None
    assert case.is_visible()


def test_every_status_has_a_mark_beside_its_word(page: Any, pages: Pages) -> None:
    page.goto(pages["report"])
    marks = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.cases .case > summary > .st')]
          .map(e => [e.textContent, getComputedStyle(e, '::before').content]))"""
    )
    told = {"passed": "✓", "failed": "✕", "errored": "!", "skipped": "–", "no verdict": "○"}
    assert marks == {word: f'"{mark}" / ""' for word, mark in told.items()}


def test_colours_are_not_needed_to_tell_what_changed(page: Any, pages: Pages) -> None:
    page.goto(pages["report"])
    lines = "e => getComputedStyle(e).textDecorationLine"
    assert page.locator("del").first.evaluate(lines) == "line-through"
    assert page.locator("ins").first.evaluate(lines) == "underline"


def test_hostile_text_runs_nothing_even_where_scripts_may_run(page: Any, pages: Pages) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(pages["hostile"])
    assert dialogs == []
    assert page.evaluate("document.querySelectorAll('script, img, iframe, [onerror]').length") == 0


def test_on_paper_it_is_dark_on_white_without_what_only_a_screen_needs(page: Any, pages: Pages) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(pages["report"])
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(CONTRAST)["low"] == []
    assert not page.locator(".nav").is_visible()
    assert not page.locator(".filter").is_visible()


def test_headings_do_not_skip_a_level_and_landmarks_are_there(page: Any, pages: Pages) -> None:
    for name in PAGES:
        page.goto(pages[name])
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(e => Number(e.tagName[1]))")
        assert levels[0] == 1
        assert levels.count(1) == 1
        outside = page.evaluate(HEADINGS)
        assert all(after <= before + 1 for before, after in pairwise(outside)), (name, outside)
        assert page.locator("main").count() == page.locator("header").count() == 1


@pytest.mark.slow
def test_five_thousand_cases_open_within_three_seconds(page: Any, tmp_path: Path) -> None:
    file = tmp_path / "large.html"
    began = time.perf_counter()
    file.write_text(render("html", samples.large_report()), "utf-8")
    written = time.perf_counter() - began
    took = min(_opening(page, file.as_uri()) for _ in range(3))  # a busy machine is no fault of the page's
    size = file.stat().st_size
    print(f"5,000 cases: written in {written:.2f} s, {size / 1e6:.1f} MB, loaded and painted in {took:.2f} s")
    assert page.locator(".case").count() == 5000
    assert size < 15_000_000
    assert took < 3


def _opening(page: Any, address: str) -> float:
    """Seconds until the page is loaded and painted."""
    page.goto("about:blank")
    began = time.perf_counter()
    page.goto(address)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return time.perf_counter() - began
