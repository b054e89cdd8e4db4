"""One C++ function for a cycle of a block, made of those that Verilator wrote for it.

Verilator evaluates a block in two steps: what depends on inputs, then what the edge of the clock alters. The second
computes everything that depends on registers *and* inputs once more, with inputs that are out of date; in the next
cycle the first step overwrites it. In one function, with these values in local variables (those of up to 64 bits), the
compiler sees that they are never used and removes them, and the search for triggers is gone as well (figures in
docs/look_up/simulators.md).
"""

import re
from collections.abc import Sequence
from pathlib import Path

_FUNCTION = r"(?ms)^(?:VL_\w+ )*\w+ {root}___(\w+)\([^)\n]*\) \{{\n(.*?)^\}}\n"
_SELF = "    auto& vlSelfRef = std::ref(*vlSelf).get();\n"
_CALLS = (
    r"    // Body\n    if \(\(1ULL & vlSelfRef\.__V\w+Triggered\[0U\]\)\) \{{\n"
    r"((?:        {root}___\w+\(vlSelf\);\n)+)    \}}\n"
)
_NUMBER = re.compile(r"(?m)^ +((?:CData|SData|IData|QData)/\*\d+:0\*/) (\w+);")
_MEMBER = re.compile(r"\bvlSelfRef\.(\w+)")
_PREAMBLE = re.compile(r"(?m)^(?:#include|extern) .*\n")
_SCHEDULING = re.compile(r"\bvlSelfRef\.__V(?:act|ico|nba|stl|trig)|\bvlSymsp->|___024root___")
OPTIONS = ("--inline-cfuncs", "0")
"""For Verilator: each step is then a list of calls."""


def cycle_function(folder: Path, prefix: str) -> str | None:
    """Return a C++ file with the function ``<prefix>_cycle``, or None if the generated code has another structure.

    Parameters:
        folder: Verilator's output for a block, with the options ``OPTIONS``.
        prefix: Prefix of its classes.
    """
    root = f"{prefix}___024root"
    files = [file.read_text() for file in sorted(folder.glob(f"{root}__*.cpp")) if "Slow" not in file.name]
    bodies = dict(pair for text in files for pair in re.findall(_FUNCTION.format(root=root), text))
    before, after = (_called(bodies, root, f"eval_{step}") for step in ("ico", "nba"))
    steps = [bodies.get(name, "").partition(_SELF)[2] for name in (*before, *after)]
    if not before or not after or not all(steps) or any(map(_SCHEDULING.search, steps)):
        return None
    others = (text for name, text in bodies.items() if name not in (*before, *after, "eval_ico", "eval_nba"))
    kept = set(_MEMBER.findall("".join(others)))
    types = {name: kind for kind, name in _NUMBER.findall((folder / f"{root}.h").read_text())}
    local = [name for name in _overwritten("".join(steps[: len(before)])) if name in types and name not in kept]
    names = set(local)
    if any(name in names for step in steps for _, name in _NUMBER.findall(step)):
        return None
    return "".join(
        [
            *dict.fromkeys(line for text in files for line in _PREAMBLE.findall(text)),
            f"void {prefix}_cycle({root}* vlSelf) {{\n",
            _SELF,
            *(f"    {types[name]} {name};\n" for name in local),
            *(f"    {{\n{_MEMBER.sub(lambda m: m[1] if m[1] in names else m[0], step)}    }}\n" for step in steps),
            "}\n",
        ]
    )


def _called(bodies: dict[str, str], root: str, step: str) -> Sequence[str]:
    """Return the functions that a step calls; none if it does anything else."""
    found = re.fullmatch(_CALLS.format(root=root), bodies.get(step, "").partition(_SELF)[2])
    return re.findall(rf"{root}___(\w+)\(", found[1]) if found else ()


def _overwritten(text: str) -> list[str]:
    """Return the members to which code assigns, in all cases, before it reads them."""
    seen: dict[str, bool] = {}
    for found in _MEMBER.finditer(text):
        if found[1] not in seen:
            statement = text[found.end() : text.index(";", found.end())]
            begins = re.search(r"(?:[;}]|// Body)\n    $", text[max(0, found.start() - 20) : found.start()])
            assigns = re.match(r"\s*= ", statement) and found[1] not in _MEMBER.findall(statement)
            seen[found[1]] = bool(begins and assigns)
    return [name for name, overwritten in seen.items() if overwritten]
