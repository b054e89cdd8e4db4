"""Content of the wheel alone: the examples, and the commands of README and help that use them."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from hydranoc.cli import run
from hydranoc.verbs import VERBS, load_verb

ROOT = Path(__file__).parents[2]
PARTS = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
FOLDERS = ("topology", "sim_model", "rtl", "tb", "fpga", "hydranoc", "examples")
LIGHT = ("init", "check", "draw", "verilog", "model", "report", "examples", "schema")
"""Verbs that need no tools besides Python; for the others only the presence of their configuration is tested."""
SHIPPED = "sim_model/shipped/loop.o"
"""A compiled loop that a developer has made."""
LOG = "build.log"
"""Output of the build of the wheel, beside the wheel."""
RUN_THEM = """
import sys, hydranoc
from hydranoc.cli import run
assert hydranoc.__file__.startswith(sys.argv[1]), hydranoc.__file__
for line in sys.stdin.read().splitlines():
    print("##", line, flush=True)
    assert run(line.split()) == 0, line
"""


@pytest.fixture(name="wheel", scope="module")
def built_wheel(tmp_path_factory):
    """The wheel, with the output of its build beside it."""
    source = tmp_path_factory.mktemp("source")
    for name in PARTS:
        shutil.copy(ROOT / name, source / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("examples", "examples/amaranth"):  # left by an earlier run
        compiled = source / folder / "__pycache__" / "design.cpython-311.pyc"
        compiled.parent.mkdir()
        compiled.write_bytes(b"")
    (source / SHIPPED).parent.mkdir(exist_ok=True)
    (source / SHIPPED).write_bytes(b"")
    wheel, log = _build(source, source / "dist")
    wheel.with_name(LOG).write_text(log)
    return wheel


def _build(source: Path, folder: Path, **environment: str) -> tuple[Path, str]:
    """The wheel, and the output of its build."""
    command = [sys.executable, "-m", "pip", "wheel", "-v", "--no-index", "--no-deps", "--no-build-isolation"]
    built = subprocess.run(
        [*command, "-w", str(folder), str(source)],
        capture_output=True,
        text=True,
        check=False,
        cwd=source,
        env={**os.environ, **environment},
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel, built.stdout + built.stderr


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory):
    """A folder with the content of the wheel, and no dependency."""
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(site)
    return site


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """``bin`` of an environment in which nothing but the wheel is installed; it finds the dependencies of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-index", "--no-deps"]
    # a caller's path that leads to a checkout would count as installed
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*command, str(wheel)], check=True, cwd=folder, env=environment)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def _commands() -> list[str]:
    """Commands of README, docs/look_up/commands.md and help without ``hydranoc``, each once."""
    text = "".join((ROOT / name).read_text() for name in ("README.md", "docs/look_up/commands.md"))
    for verb in VERBS:
        text += "\n".join(f"    {line.strip()}" for line in (load_verb(verb).help or "").splitlines())
    found = re.findall(r"^ +hydranoc ([a-z].*?)(?: +#.*)?$", text, flags=re.MULTILINE)
    return list(dict.fromkeys(found))


def _run(site: Path, folder: Path, commands: list[str]) -> str:
    environment = {"PYTHONPATH": str(site), "HYDRANOC_CACHE": str(folder / "cache"), "HOME": str(folder), "PATH": ""}
    ended = subprocess.run(
        [sys.executable, "-c", RUN_THEM, str(site)],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr
    return ended.stdout


def test_the_wheel_is_built_without_warnings(wheel):
    log = wheel.with_name(LOG).read_text()
    assert "Building wheel for hydranoc" in log
    warnings = [line for line in log.splitlines() if "warning" in line.lower() and "byte-compiling" not in line]
    assert warnings == []


@pytest.mark.slow
def test_only_a_wheel_for_a_platform_brings_compiled_loops(wheel, tmp_path):
    assert wheel.name.endswith("-py3-none-any.whl")
    assert SHIPPED not in zipfile.ZipFile(wheel).namelist()
    source = tmp_path / "source"
    shutil.copytree(wheel.parents[1], source, ignore=shutil.ignore_patterns("build", "dist", "*.egg-info"))
    other, _ = _build(source, tmp_path / "dist", HYDRANOC_LOOPS_IN_WHEEL="1")
    assert other.name.endswith(f"-py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}.whl")
    assert SHIPPED in zipfile.ZipFile(other).namelist()


def test_the_wheel_brings_every_example(site):
    there = {path.relative_to(site / "hydranoc") for path in (site / "hydranoc" / "examples").rglob("*")}
    wanted = {path.relative_to(ROOT) for path in (ROOT / "examples").rglob("*") if "__pycache__" not in path.parts}
    assert wanted == {path for path in there if "__pycache__" not in path.parts}
    assert (site / "hydranoc" / "py.typed").exists(), "type checkers believe the annotations"


@pytest.mark.slow
def test_commands_of_readme_and_help_work_in_an_empty_folder(site, tmp_path):
    commands = _commands()
    light = [line for line in commands if line.split()[0] in LIGHT]
    assert len(light) > 12
    ordered = sorted(light, key=lambda line: line.split()[0] not in ("init", "examples"))
    _run(site, tmp_path, list(dict.fromkeys(["examples", *ordered])))
    named = {word for line in commands for word in line.split() if word.endswith(".yaml")}
    assert {word for word in named if not (tmp_path / word).exists()} == set()
    assert (tmp_path / "examples" / "axi_stream" / "top.v").read_text() == (
        ROOT / "examples" / "axi_stream" / "top.v"
    ).read_text()


def test_the_installed_command_works_outside_the_checkout(installed, tmp_path):
    environment = {"HYDRANOC_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path), "PATH": ""}
    python, hydranoc = (str(installed / name) for name in ("python", "hydranoc"))
    where = [python, "-c", "import hydranoc, sys; print(hydranoc.__file__)"]
    for command in (where, [hydranoc, "init"], [hydranoc, "check", "network.yaml", "--json"]):
        answer = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stderr
        if command is where:
            assert answer.stdout.startswith(str(installed.parent))
    assert json.loads(answer.stdout)["right"]


def test_examples_are_listed_and_never_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["examples", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == sorted(
        f"examples/{p.name}" for p in (ROOT / "examples").glob("*.yaml")
    )
    assert all(len(line.split()) > 2 for line in listed)
    assert list(tmp_path.iterdir()) == []
    assert run(["examples", "-o", "mine"]) == run(["examples", "-o", "mine"]) == 0
    (tmp_path / "mine" / "demo.yaml").write_text("mine\n")
    capsys.readouterr()
    assert run(["examples", "-o", "mine"]) == 2
    expected = "error: mine/demo.yaml: is there already, and differs; name another folder with -o\n"
    assert capsys.readouterr().err == expected
    assert (tmp_path / "mine" / "demo.yaml").read_text() == "mine\n"


def test_a_missing_example_says_where_it_comes_from(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["check", "examples/demo.yaml"]) == 2
    assert "'hydranoc examples' writes that folder" in capsys.readouterr().err
    assert run(["check", "other/demo.yaml"]) == 2
    assert "hydranoc examples" not in capsys.readouterr().err
