"""Leave folders behind that may not be entered or written, and a link that leads out of them."""

import os

os.makedirs("a/b/c")
open("a/b/c/file", "w").close()
os.symlink("/", "a/out")
os.chmod("a/b", 0)
os.chmod("a", 0o500)
