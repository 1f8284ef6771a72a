"""An adapter that says what a file has for the prompt, or for "*", and leaves what it was told beside that file.

    {"*": {"answer": {…} or "stdout": "…" or "hex": "…", "exit": 0, "sleep": 0, "stderr": "…"}}

In what it writes, ARCHIVE is the digest of the archive that it was handed, and $NAME is a variable that it sees.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path

place = Path(sys.argv[1])
told = json.load(sys.stdin)
table = json.loads(place.read_text("utf-8"))
says = table.get(told["prompt"], table.get("*"))
archive = told.get("plugin_archive")
digest = hashlib.sha256(Path(archive).read_bytes()).hexdigest() if archive else ""
place.with_suffix(".told").write_text(json.dumps({**told, "digest": digest} if archive else told), "utf-8")
time.sleep(says.get("sleep", 0))
text = json.dumps(says["answer"], ensure_ascii=False) if "answer" in says else says.get("stdout", "")
sys.stdout.buffer.write(
    os.path.expandvars(text.replace("ARCHIVE", digest)).encode() + bytes.fromhex(says.get("hex", ""))
)
sys.stderr.write(os.path.expandvars(says.get("stderr", "")))
sys.stdout.flush()
sys.exit(says.get("exit", 0))
