"""Processors that machine code is compiled for: this one, and baselines of many."""

import os
from functools import cache
from typing import Any, NamedTuple


class Processor(NamedTuple):
    """A processor as LLVM names it.

    Members
    -------
    name : str
    features : str
        Signed features, separated by commas.
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


def triple() -> str:
    """Return architecture and system of this process."""
    return llvm().get_process_triple()


@cache
def processor() -> Processor:
    """Return the processor that code is compiled for: this one, unless Numba's variables name another."""
    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    host = host_processor()
    return Processor(name or host.name, host.features if features is None else features)


@cache
def host_processor() -> Processor:
    """Return the processor of this machine."""
    return Processor(llvm().get_host_cpu_name(), ",".join(f"{'+' if has else '-'}{name}" for name, has in _features()))


def baselines() -> tuple[Processor, ...]:
    """Return the baselines whose code this processor runs, best first."""
    has = {name for name, is_there in _features() if is_there}
    levels = BASELINES.get(triple().partition("-")[0], {GENERIC: ()})
    needed: set[str] = set()
    found: list[Processor] = []
    for level, features in reversed(levels.items()):
        needed.update(features)
        if needed <= has:
            found.insert(0, level)
    return tuple(found)


def _features() -> list[tuple[str, bool]]:
    try:
        return sorted(llvm().get_host_cpu_features().items())
    except RuntimeError:  # LLVM cannot find them on this architecture
        return []


@cache
def llvm() -> Any:
    """Return LLVM, ready for this machine's code."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding
