"""A picture of the comment: the support bot's report with two answers changed, rendered as GitHub would show it."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTH = 900
# What the pull request made of two answers: the first no longer names the 30 days, the second does now.
CHANGED = {
    "You can return shoes within 30 days of delivery for a full refund.": (
        "You can return shoes within 14 days of delivery, and exchange them for free within 60 days."
    ),
    "You can return the coffee machine within 2 days of purchase.": (
        "You can return the coffee machine within 30 days of purchase."
    ),
}


def main(picture: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        comment = comment_of(Path(folder))
    page = (HERE / "comment.html").read_text("utf-8")
    html = MarkdownIt("gfm-like", {"linkify": False}).render(comment)
    screenshot(page.replace("COMMENT", html), picture)
    print(f"{picture}: {picture.stat().st_size // 1000} kB")


def comment_of(folder: Path) -> str:
    """The body that a run over the changed recordings would post."""
    suite = folder / "support-bot"
    shutil.copytree(ROOT / "examples" / "support-bot", suite)
    cassette = suite / ".evalci" / "cassette.jsonl"
    text = cassette.read_text("utf-8")
    for before, after in CHANGED.items():
        assert text.count(json.dumps(before)) == 1, before
        text = text.replace(json.dumps(before), json.dumps(after))
    cassette.write_text(text, "utf-8")
    words = ["run", "--baseline", "main", "--no-history", "--reporter", "markdown"]
    run = subprocess.run([sys.executable, "-m", "evalci", *words], cwd=suite, capture_output=True, text=True)
    assert run.returncode == 1, run.stderr
    return run.stdout


def screenshot(html: str, picture: Path) -> None:
    picture.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": 400}, device_scale_factor=1.5)
        page.set_content(html)
        page.locator("main").screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
