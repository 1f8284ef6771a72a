"""What a release does with the image, at a real registry: push, pin by digest; the Action pulls just that one."""

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ci.fake_github import FakeGitHub
from tests.ci.scene import HEAD, payload_of
from tests.container.test_image import IMAGE
from tests.workflows.act import Job
from tests.workflows.conftest import ROOT, make_tools

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not IMAGE, reason="only scripts/test-container has an image")]
SETTINGS = """\
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


@dataclass(frozen=True)
class Registry:
    """A registry that runs here, and the image as it was pushed to it."""

    name: str
    digest: str


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    place = tmp_path_factory.mktemp("registry")
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (place / "config.yml").write_text(SETTINGS.format(folder=place / "store", port=port))
    with (place / "log").open("w") as log:
        server = subprocess.Popen(["docker-registry", "serve", str(place / "config.yml")], stdout=log, stderr=log)
    try:
        wait_for(port)
        name = f"localhost:{port}/org/evalci"
        push = ["podman", "push", "-q", "--tls-verify=false", "--digestfile", str(place / "digest")]
        subprocess.run([*push, IMAGE, f"{name}:1.2.3"], check=True)
        yield Registry(name=name, digest=(place / "digest").read_text().strip())
    finally:
        server.terminate()
        server.wait(10)


def wait_for(port: int) -> None:
    for _ in range(100):
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError("the registry did not start")


@pytest.fixture
def released(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Job, Path]]:
    """The Action, and a copy of it that a release may write into; podman takes the registry without TLS."""
    copy = tmp_path / "release"
    for name in ("evalci", "action", "comment", "scripts"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("action.yml", "requirements.lock"):
        shutil.copy(ROOT / name, copy / name)
    settings = tmp_path / "registries.conf"
    settings.write_text(f'[[registry]]\nlocation = "{registry.name.partition("/")[0]}"\ninsecure = true\n')
    monkeypatch.setenv("CONTAINERS_REGISTRIES_CONF", str(settings))
    with FakeGitHub() as fake:
        job = Job(tools=make_tools(), fake=fake, root=tmp_path, runtime="container", image="", ours=copy)
        yield job, copy
        assert fake.violations == []


def pin(copy: Path, image: str) -> None:
    subprocess.run([str(copy / "scripts/pin-image"), image], check=True)


def test_the_released_action_pulls_its_image_by_digest_and_runs_in_it(
    released: tuple[Job, Path], registry: Registry
) -> None:
    job, copy = released
    pinned = f"{registry.name}:1.2.3@{registry.digest}"
    pin(copy, pinned)
    for action in ("action.yml", "comment/action.yml"):
        assert re.findall(r'RELEASED_IMAGE: "(.+)"', (copy / action).read_text()) == [pinned]
    ran = job.run("push", payload_of("push", HEAD))
    assert ran.code == 0, ran.log
    assert ran.outputs["verdict"] == "passed"
    by_digest = f"{registry.name}@{registry.digest}"
    assert subprocess.run(["podman", "image", "exists", by_digest], check=False).returncode == 0


def test_an_image_that_the_registry_does_not_have_is_never_green(
    released: tuple[Job, Path], registry: Registry
) -> None:
    job, copy = released
    pin(copy, f"{registry.name}:1.2.3@sha256:{'0' * 64}")
    ran = job.run("push", payload_of("push", HEAD))
    assert ran.code != 0
    assert ran.outputs["verdict"] != "passed"
    assert "evalci-state" not in ran.artifacts, ran.log
