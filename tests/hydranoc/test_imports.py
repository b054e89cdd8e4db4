"""Imports by need: a command loads only packages that its work needs."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = """\
import contextlib, io, json, os, sys
from hydranoc.cli import run_to_end
sys.argv[1:] = json.loads(sys.argv[1])
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    code = run_to_end()
print(json.dumps([code, sorted(sys.modules), len(os.listdir("/proc/self/task"))]))
"""
COMPLETE = """\
import atexit, sys
from hydranoc.command import group
atexit.register(lambda: print(*sys.modules))
group.main(prog_name="hydranoc")
"""

MODEL = {"numba", "llvmlite", "scipy"}
HARDWARE = {"amaranth", "cocotb", "cocotb_tools"}
PICTURES = {"matplotlib", "pandas"}
PROOFS = {"networkx"}
NUMBERS = {"numpy", "pydantic", "yaml", "tqdm", "multiprocessing", *PROOFS}
RARE = {
    *("concurrent", "logging", "numpy.ma", "pydantic", "subprocess", "traceback"),
    *("hydranoc.certificates.writing", "hydranoc.families.table_files", "hydranoc.studies"),
}
"""Modules that a run of random traffic does not need."""
DEMO = "examples/demo.yaml"
BAD_KEY, BAD_ROOT, BAD_TRAFFIC = (f"{part}.yaml" for part in ("key", "root", "traffic"))
NETWORK = "network: {family: spam, topology: {kind: mesh, shape: [2, 2]}"
CONFIGURATIONS = {
    BAD_KEY: f"{NETWORK}, buffer_flit: 2}}\n",
    BAD_ROOT: f"{NETWORK}, root: 9}}\n",
    BAD_TRAFFIC: f"{NETWORK}}}\ntraffic: {{kind: list, messages: [{{source: 0, destinations: [9], flits: 8}}]}}\n",
}
CASES: dict[tuple[str, ...], tuple[int, set[str]]] = {
    ("--version",): (0, MODEL | HARDWARE | PICTURES | NUMBERS),
    ("nothing",): (2, MODEL | HARDWARE | PICTURES | NUMBERS),
    **{(verb, "--help"): (0, MODEL | HARDWARE | PICTURES | NUMBERS) for verb in ("check", "report", "sweep", "fpga")},
    ("reproduce", "spam-fig9"): (2, MODEL | HARDWARE | PICTURES | NUMBERS),
    ("check", "missing.yaml"): (2, MODEL | HARDWARE | PICTURES | PROOFS),
    ("model", BAD_KEY): (2, MODEL | HARDWARE | PICTURES | PROOFS),
    ("check", BAD_ROOT): (2, MODEL | HARDWARE | PICTURES | PROOFS),
    ("model", BAD_TRAFFIC): (2, MODEL | HARDWARE | PICTURES | PROOFS),
    ("check", DEMO): (0, MODEL | HARDWARE | PICTURES | {"pydantic"}),
    ("model", DEMO, "-o", "out"): (0, HARDWARE | PICTURES | PROOFS),
    ("schema",): (0, MODEL | HARDWARE | PICTURES | PROOFS),
    ("draw", DEMO, "-o", "out"): (0, {"numba", "llvmlite", *HARDWARE}),
    ("verilog", DEMO, "-o", "out"): (0, MODEL | PICTURES),
}
"""Exit code, and packages and modules that the command must not load."""


def _python(folder: Path, *arguments: str, **environment: str) -> str:
    (folder / "examples").symlink_to(ROOT / "examples")
    for name, text in CONFIGURATIONS.items():
        (folder / name).write_text(text)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "HYDRANOC_PROGRESS": "off", **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _with_packages(name: str) -> Iterator[str]:
    """Yield a module and the packages around it."""
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


@pytest.mark.parametrize("command", CASES, ids=lambda command: " ".join(command) or "no verb")
def test_a_command_loads_no_more_than_its_work_takes(command, tmp_path):
    code, loaded, threads = json.loads(_python(tmp_path, "-c", RUN, json.dumps(command)))
    expected, forbidden = CASES[command]
    assert code == expected
    assert not {*forbidden, "scipy.stats"} & {part for name in loaded for part in _with_packages(name)}
    assert threads == 1


@pytest.mark.skipif((sys.platform, platform.machine()) != ("linux", "x86_64"), reason="LLVM loads the loops elsewhere")
@pytest.mark.parametrize("name", ["demo", "torus-lanes"])
def test_a_warm_run_loads_no_compiler_and_little_else(name, tmp_path):
    command = json.dumps(("model", f"examples/{name}.yaml", "-o", "out"))
    for part in ("cold", "warm"):
        (tmp_path / part).mkdir()
        code, loaded, threads = json.loads(_python(tmp_path / part, "-c", RUN, command))
        assert code == 0
    assert not {*MODEL, *HARDWARE, *PICTURES, *PROOFS, *RARE} & {
        part for name in loaded for part in _with_packages(name)
    }
    assert threads == 1


@pytest.mark.parametrize(("line", "found"), [("hydranoc ver", "verilog"), ("hydranoc reproduce spam-fi", "spam-fig2")])
def test_completion_knows_verbs_options_and_figures(line, found, tmp_path):
    words = line.split()
    shell = {"_HYDRANOC_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    out = _python(tmp_path, "-c", COMPLETE, **shell)
    completions, loaded = out.rsplit("\n", 2)[:2]
    assert f"plain,{found}" in completions.splitlines()
    assert not (MODEL | HARDWARE | PICTURES | NUMBERS) & set(loaded.split())
