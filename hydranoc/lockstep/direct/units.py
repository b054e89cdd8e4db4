"""Grouping of Verilator's C++ into few translation units, with the makefile that compiles them.

Verilator writes dozens of files. Compiled one by one, each reads the headers of Verilator's library, which takes longer
than most files themselves; compiled together, they are built in half of the time (docs/understand/lockstep.md).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from hydranoc.lockstep.tools import FAST, SLOW

UNIT_BYTES = 4_000_000
"""Bytes of text in a unit: with more, units of a large network would not be compiled in parallel."""
MAKEFILE = "program.mk"
_LIST = re.compile(r"^VM_(\w+) \+= \\\n((?:[ \t]+\S+ \\\n)*)", re.MULTILINE)
_FAST_LISTS = ("CLASSES_FAST",)
_SLOW_LISTS = ("CLASSES_SLOW", "SUPPORT_FAST", "SUPPORT_SLOW")
"""Lists of slow code. It includes code for waveforms: a waveform has few cycles, and its code is half of all code."""
_INCLUDE = '#undef VL_PCH_INCLUDED // a header that is not precompiled here\n#include "{file}"\n'
_LIBRARY_LISTS = ("GLOBAL_FAST", "GLOBAL_SLOW")


def write_units(work: Path, prefix: str, program: str, blocks: Mapping[str, bool], written: Iterable[Path]) -> None:
    """Write translation units and their makefile.

    Parameters:
        work: Folder with Verilator's output for the network, and a folder in it for each block.
        prefix: Prefix of the network's classes.
        program: File that the makefile's target ``program`` links.
        blocks: Folders of blocks, each with whether Verilator's own evaluation runs in every cycle. ``V`` before such a
            name is the prefix of its classes.
        written: Other C++ files that run in every cycle.
    """
    network = _lists(work / f"{prefix}_classes.mk")
    of_blocks = {block: _lists(work / block / f"V{block}_classes.mk") for block in blocks}
    lists = [network, *of_blocks.values()]
    evaluated = [network, *(of_blocks[block] for block in blocks if blocks[block])]
    once = [of_blocks[block] for block in blocks if not blocks[block]]
    groups = {
        "fast": _groups([*_files(evaluated, _FAST_LISTS), *written]),
        "slow": _groups([*_files(lists, _SLOW_LISTS), *_files(once, _FAST_LISTS)]),
    }
    library = [Path(f"{name}.cpp") for name in dict.fromkeys(_names(lists, _LIBRARY_LISTS))]
    groups["fast" if any(blocks.values()) else "slow"][0][:0] = library  # every evaluation of a block calls it
    units = {f"{name}_{number}": files for name in groups for number, files in enumerate(groups[name])}
    for name, files in units.items():
        (work / f"{name}.cpp").write_text("".join(_INCLUDE.format(file=file) for file in files))
    (work / MAKEFILE).write_text(_makefile(prefix, program, list(units)))


def _lists(file: Path) -> tuple[Path, dict[str, list[str]]]:
    """Return a model's folder, and its lists of generated files."""
    return file.parent, {name: re.findall(r"\S+(?= \\)", text) for name, text in _LIST.findall(file.read_text())}


def _names(lists: Iterable[tuple[Path, dict[str, list[str]]]], wanted: Sequence[str]) -> list[str]:
    return [name for _, by_name in lists for part in wanted for name in by_name.get(part, ())]


def _files(lists: Iterable[tuple[Path, dict[str, list[str]]]], wanted: Sequence[str]) -> list[Path]:
    return [folder / f"{name}.cpp" for folder, own in lists for name in _names([(folder, own)], wanted)]


def _groups(files: Sequence[Path]) -> list[list[Path]]:
    """Return the files in groups, in their order, with at most ``UNIT_BYTES`` in a group unless one file has more."""
    groups: list[list[Path]] = [[]]
    size = 0
    for file in files:
        more = file.stat().st_size
        if size + more > UNIT_BYTES and groups[-1]:
            groups.append([])
            size = 0
        groups[-1].append(file)
        size += more
    return groups


def _makefile(prefix: str, program: str, units: Sequence[str]) -> str:
    """Return the makefile; Verilator's own one sets compiler, linker and their options."""
    rules = [
        f"{name}_%.o: {name}_%.cpp\n\t$(OBJCACHE) $(CXX) {level} $(CXXFLAGS) $(CPPFLAGS) -c -o $@ $<"
        for name, level in (("fast", FAST), ("slow", SLOW))
    ]
    objects = " ".join(f"{unit}.o" for unit in units)
    link = f"program: {objects}\n\t$(LINK) $(LDFLAGS) $^ $(LOADLIBES) $(LDLIBS) $(LIBS) -o {program}"
    return "\n\n".join([f"include {prefix}.mk", *rules, link, ".PHONY: program"]) + "\n"
