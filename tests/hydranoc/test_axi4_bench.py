"""``hydranoc bench --axi4``: the project runs, also with a manager of the user's own, and sees faults."""

import copy
import hashlib
import json
import re
import runpy
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from hydranoc import ConfigError, load
from hydranoc.benches.project import axi4_bench_project
from hydranoc.cli import run
from tests.hydranoc.shells import ROOT, WITH_TOOLS, passes, shell
from tests.hydranoc.test_axi4 import CONFIGURATION, EXAMPLE
from tests.hydranoc.test_bench import OURS

TORUS = {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 2}}
WIDE = {"data_bits": 64, "address_bits": 40, "user_bits": 3, "managers": "all", "multicast": []}
HIGH = {
    "address_bits": 64,
    "regions": [{"processor": 1, "base": 1 << 62, "size": 0x1000}, {"processor": 3, "base": 1 << 63, "size": 1 << 63}],
    "multicast": [],
}
Kind = tuple[dict[str, Any], dict[str, Any], tuple[int, ...], str]
KINDS: dict[str, Kind] = {
    "with an own manager": ({}, {"managers": [0, 2]}, (2,), "PASS=4 FAIL=0 SKIP=0"),
    "own manager alone": ({}, {}, (0,), "PASS=1 FAIL=0 SKIP=3"),
    "unicasts": (TORUS, WIDE, (0, 3), "PASS=3 FAIL=0 SKIP=1"),
    "masters alone": ({}, {}, (), "PASS=3 FAIL=0 SKIP=1"),
    "high addresses": ({}, HIGH, (), "PASS=2 FAIL=0 SKIP=2"),
}
"""Changes of the network and of its ends, processors with an own manager, and the verdict."""
PYTEST = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider"


def configuration(kind: str) -> dict[str, Any]:
    network, changes, _, _ = KINDS[kind]
    given = copy.deepcopy(CONFIGURATION)
    given["network"] = network or given["network"]
    given["axi4"] |= changes
    return given


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def project(folder: Path, kind: str) -> Path:
    write(folder, axi4_bench_project(load(configuration(kind)), KINDS[kind][2]))
    return folder


@pytest.fixture
def icarus(require_tool):
    for name in ("icarus", "make"):
        require_tool(name)


@pytest.mark.slow
@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize("kind", KINDS)
def test_the_bench_passes(kind, tmp_path):
    assert KINDS[kind][-1] in passes("make SIM=icarus", project(tmp_path, kind), **OURS)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["make", PYTEST, "make lint"], ids=["make", "pytest", "lint"])
def test_verilator_runs_it(command, tmp_path, require_tool):
    for name in ("verilator", "make", "c++", "perl"):
        require_tool(name)
    passes(command, project(tmp_path, "unicasts"), EXTRA_ARGS="-CFLAGS -O0")


@pytest.mark.slow
@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize(
    ("file", "text", "replacement", "verdict"),
    [
        ("own/manager_n2.v", "m_axi_rdata != WORD", "m_axi_rdata == WORD", "manager_n2 failed"),
        ("own/manager_n2.v", "done <= 1'b1", "done <= 1'b0", "SimTimeoutError"),
        ("ends.py", "read(address % MEMORY_BYTES,", "read(address % MEMORY_BYTES + 1,", "written by manager 0"),
    ],
)
def test_faults_are_seen(file, text, replacement, verdict, tmp_path):
    path = project(tmp_path, "with an own manager") / file
    source = path.read_text()
    assert source.count(text) == 1
    path.write_text(source.replace(text, replacement))
    answer = shell(WITH_TOOLS + "make SIM=icarus", tmp_path, **OURS)
    assert answer.returncode != 0
    assert verdict in answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--axi4", "--own-manager", "1"], "--own-manager is 1; it must be a processor with a manager: 0, 4 "),
        (["--own-manager", "0"], "--own-manager needs --axi4 as well "),
        (["--axi4", "--tkeep"], "--axi4 and --tkeep cannot be given together "),
    ],
)
def test_wrong_options_are_refused(options, message, tmp_path, capsys):
    assert run(["bench", EXAMPLE, "-o", str(tmp_path / "mine"), *options]) == 2
    assert f"error: {message}" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()


def test_masters_need_ids():
    given = configuration("masters alone")
    given["axi4"]["id_bits"] = 0
    with pytest.raises(ConfigError, match=r"axi4.id_bits is 0; it must be at least 1, for masters of cocotbext-axi"):
        axi4_bench_project(load(given))


def test_an_own_manager_needs_a_region_of_another_processor(tmp_path, capsys):
    given = configuration("masters alone")
    given["axi4"] |= {"managers": [0, 2], "multicast": []}
    given["axi4"]["regions"] = [{"processor": 2, "base": base, "size": 0x1000} for base in (0, 0x1000)]
    (tmp_path / "net.yaml").write_text(json.dumps(given))
    command = ["bench", str(tmp_path / "net.yaml"), "--axi4", "--own-manager", "0", "-o", str(tmp_path / "mine")]
    assert run(command) == 0
    capsys.readouterr()
    assert run([*command, "--own-manager", "2"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    text = "axi4.regions has processor 2 only; it must have another one, for a manager of your own at processor 2"
    assert text in error


def test_the_command_writes_the_project(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text(json.dumps(configuration("masters alone")))
    command = ["bench", str(tmp_path / "net.yaml"), "--axi4", "--own-manager", "0", "-o", str(tmp_path / "mine")]
    assert run(command) == 0
    names = {path.relative_to(tmp_path / "mine").as_posix() for path in (tmp_path / "mine").rglob("*.[vp]*")}
    assert {"ends.py", "noc_tests.py", "test_noc.py", "own/manager_n0.v", "own/system.v", "noc/noc.v"} <= names
    assert "mine/own/manager_n0.v" in capsys.readouterr().out


def names_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def tops_of(project: Path) -> set[str]:
    """Modules on top in both ways to run the bench."""
    made = passes("make -s --eval='top: ; @echo $(COCOTB_TOPLEVEL)' top", project)
    return {made.strip(), runpy.run_path(str(project / "test_noc.py"))["TOP"]}


def test_files_of_a_former_project_are_deleted(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text(json.dumps(configuration("with an own manager")))
    command, mine = ["bench", str(tmp_path / "net.yaml"), "-o", str(tmp_path / "mine")], tmp_path / "mine"
    assert run([*command, "--axi4", "--own-manager", "0", "--arrays"]) == 0
    (mine / "own" / "further.v").write_text("// of the user\n")
    for options, own in (["--own-manager", "2"], {"own/manager_n2.v", "own/system.v"}), ([], set[str]()):
        assert run([*command, "--axi4", *options]) == 0
        assert {name for name in names_in(mine) if name.startswith("own/")} == {*own, "own/further.v"}
        assert not (mine / "noc" / "noc_arrays.sv").exists()
        assert tops_of(mine) == {"system" if own else "noc"}
    assert run(command) == 0
    assert names_in(mine) == {*json.loads((mine / "generated.json").read_text()), "generated.json", "own/further.v"}
    assert not (mine / "ends.py").exists()
    capsys.readouterr()


def test_changed_files_of_a_former_project_are_kept(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text(json.dumps(configuration("with an own manager")))
    command, mine = ["bench", str(tmp_path / "net.yaml"), "--axi4", "-o", str(tmp_path / "mine")], tmp_path / "mine"
    assert run([*command, "--own-manager", "0"]) == 0
    manager = mine / "own" / "manager_n0.v"
    manager.write_text(manager.read_text() + "// mine\n")
    before = {name: (mine / name).read_bytes() for name in names_in(mine)}
    capsys.readouterr()
    assert run(command) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{manager} is changed since it was written; move it, or choose another folder" in error
    assert {name: (mine / name).read_bytes() for name in names_in(mine)} == before
    manager.rename(tmp_path / "manager_n0.v")
    assert run(command) == 0
    assert not (mine / "own" / "system.v").exists()


def test_files_outside_of_the_project_are_never_deleted(tmp_path, capsys):
    (tmp_path / "net.yaml").write_text(json.dumps(configuration("masters alone")))
    (tmp_path / "mine").mkdir()
    (tmp_path / "other.v").write_text("")
    digest = hashlib.sha256(b"").hexdigest()
    names = ("../other.v", str(tmp_path / "other.v"))
    (tmp_path / "mine" / "generated.json").write_text(json.dumps(dict.fromkeys(names, digest)))
    assert run(["bench", str(tmp_path / "net.yaml"), "--axi4", "-o", str(tmp_path / "mine")]) == 0
    assert (tmp_path / "other.v").exists()
    capsys.readouterr()


QUESTIONS = (ROOT / "docs" / "do" / "axi4_questions.md").read_text()
PAGE = (ROOT / "docs" / "do" / "axi4_bench.md").read_text()
FILES = dict(re.findall(r"`([\w.]+)`[^`]*\n\n```\w+\n(.*?)```", PAGE, flags=re.DOTALL))
PATH = re.sub(r"```.*?```", "", PAGE.partition("## Components of other designs")[0], flags=re.DOTALL)
COMMANDS = [line.strip() for line in PATH.splitlines() if line[:4] == "    "]


def test_the_path_has_ten_commands():
    assert len(COMMANDS) == 10
    assert list(FILES) == ["map.yaml", "fill.v", "instance.v", "fill_test.py"]


@pytest.mark.usefixtures("icarus")
def test_the_answers_to_questions_are_true(tmp_path):
    (tmp_path / "map.yaml").write_text(FILES["map.yaml"])
    write(tmp_path, axi4_bench_project(load(tmp_path / "map.yaml")))
    snippets = re.findall(r"```python\n(.*?)```", QUESTIONS, flags=re.DOTALL)
    with (tmp_path / "noc_tests.py").open("a") as tests:
        tests.write("\n".join(snippets))
    assert "PASS=7 FAIL=0 SKIP=1" in passes("make SIM=icarus", tmp_path, **OURS)


@pytest.mark.slow
@pytest.mark.usefixtures("icarus")
def test_the_path_of_a_newcomer(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    out = passes("\n".join(COMMANDS), tmp_path, SIM="icarus", **OURS)
    assert re.findall(r"`(TESTS=\d.*?)`", PAGE) == re.findall(r"TESTS=\d PASS=\d FAIL=\d SKIP=\d", out)
