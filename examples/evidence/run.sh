#!/bin/sh
# Runs the suite against a chat model that listens at MODEL_URL, such as
#   python -m llama_cpp.server --model SmolLM2-135M-Instruct.Q4_1.gguf --port 8099
# and leaves the evidence in the folder that is named (default: evidence-again).
set -eu
cd "$(dirname "$0")"
here=$(pwd)
out=${1:-evidence-again}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MODEL_URL="${MODEL_URL:-http://127.0.0.1:8099/v1}"
python=$(command -v "${PYTHON:-python3}")

# The same files give the same archive: names sorted, no owner, no time.
"$python" - "$work/short-answers.tar.gz" <<'PYTHON'
import gzip, hashlib, io, sys, tarfile
from pathlib import Path
packed = io.BytesIO()
with tarfile.open(fileobj=packed, mode="w") as tar:
    for path in sorted(path for path in Path("plugin").rglob("*") if path.is_file()):
        member = tarfile.TarInfo(path.as_posix())
        member.size = path.stat().st_size
        tar.addfile(member, io.BytesIO(path.read_bytes()))
data = gzip.compress(packed.getvalue(), mtime=0)
Path(sys.argv[1]).write_bytes(data)
Path(sys.argv[1] + ".sha256").write_text(hashlib.sha256(data).hexdigest() + "  short-answers.tar.gz\n")
PYTHON

cat > "$work/models.json" <<JSON
{
  "environment_id": "llama-cpp-python-0.3/SmolLM2-135M-Instruct.Q4_1.gguf",
  "executor_model": "SmolLM2-135M-Instruct.Q4_1",
  "judge_model": "SmolLM2-135M-Instruct.Q4_1",
  "executor_parameters": {"temperature": 0, "max_tokens": 80, "seed": 1},
  "judge_parameters": {"temperature": 0, "max_tokens": 40, "seed": 1},
  "executor": {"command": ["$python", "$here/executor.py"], "timeout_seconds": 180, "pass_env": ["MODEL_URL"]},
  "judge": {"command": ["$python", "$here/judge.py"], "timeout_seconds": 180, "pass_env": ["MODEL_URL"]}
}
JSON

ST_EVAL_MODEL_CONFIG="$work/models.json" ST_EVAL_PLUGIN_ARCHIVE="$work/short-answers.tar.gz" \
    "${EVALCI:-evalci}" evidence run --suite smoke --runs-per-condition 1 --seed 20260713 --output-dir "$out"
