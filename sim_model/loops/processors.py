"""Target processors of machine code: this one, and baselines of many."""

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Processor(NamedTuple):
    """A processor as LLVM names it.

    Members:
        name
        features: Signed features, separated by commas.
    """

    name: str
    features: str


GENERIC = Processor("generic", "")
BASELINES = {
    "x86_64": {
        Processor("x86-64-v4", ""): ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
        Processor("x86-64-v3", ""): ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    }
}
"""Baselines of an architecture, best first, with the features that a processor needs for them beyond the one below."""


NAMED_DIFFERENTLY = {"bmi1": "bmi", "abm": "lzcnt"}
"""Features whose names in Linux are not those of LLVM."""


def system() -> str:
    """Return architecture and system of this process."""
    return f"{platform.machine()} {sys.platform}"


def processor() -> str:
    """Return the processor that code is compiled for: this one, unless Numba's variables name another."""
    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    if name is None or features is None:
        return f"{name} {features} {host_processor()}"
    return str(Processor(name, features))


def is_host() -> bool:
    """Return whether code is compiled for the processor of this machine."""
    return "NUMBA_CPU_NAME" not in os.environ and "NUMBA_CPU_FEATURES" not in os.environ


@cache
def host_processor() -> str:
    """Return this machine's processor: from Linux, or else from LLVM, which takes long to load."""
    lines = [line for line in _lines() if line.startswith(("vendor_id", "cpu family", "model", "stepping", "flags"))]
    return "".join(lines) or f"{llvm().get_host_cpu_name()} {sorted(_features())}"


def baselines() -> tuple[Processor, ...]:
    """Return the baselines whose code this processor runs, best first."""
    has = _features()
    levels = BASELINES.get(platform.machine(), {GENERIC: ()})
    needed: set[str] = set()
    found: list[Processor] = []
    for level, features in reversed(levels.items()):
        needed.update(features)
        if needed <= has:
            found.insert(0, level)
    return tuple(found)


@cache
def _features() -> frozenset[str]:
    """Return the features of this processor, in LLVM's words."""
    flags = next((line.partition(":")[2].split() for line in _lines() if line.startswith("flags")), None)
    if flags is not None:
        return frozenset(NAMED_DIFFERENTLY.get(flag, flag) for flag in flags)
    try:
        return frozenset(name for name, is_there in llvm().get_host_cpu_features().items() if is_there)
    except RuntimeError:  # LLVM cannot find them on this architecture
        return frozenset()


def _lines() -> list[str]:
    """Return Linux's description of the first processor; empty elsewhere, and on architectures without flags."""
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").partition("\n\n")[0]
    except OSError:
        return []
    return first.splitlines(keepends=True) if "\nflags" in first else []


@cache
def llvm() -> Any:
    """Return LLVM, ready for this machine's code."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding
