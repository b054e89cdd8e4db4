"""Report on the first cycle in which a plane's hardware and golden model differ."""

from collections.abc import Iterator

from hydranoc.lockstep.plane.comparison import PlaneDifference
from hydranoc.lockstep.plane.fields import PlaneFields

MAX_LINES = 20
"""Differing fields in a report."""


def difference_of(
    fields: PlaneFields, run: int, cycle: int, compared_cycles: int, seen: str, expected: str
) -> PlaneDifference:
    """Return the difference between two rows of observed bits.

    Parameters:
        fields
        run, cycle (int): Number of the run, and cycle since its reset.
        compared_cycles: Cycles of all runs that were equal.
        seen, expected (str): Rows of hardware and model, highest bit first.
    """
    found = list(_differing(fields, seen, expected))
    name, _, wanted = found[0]
    lines = [f"plane: first difference in cycle {compared_cycles}"]
    if compared_cycles != cycle:
        lines[0] += f", cycle {cycle} since the reset of run {run}"
    lines += [
        f"  {field}: hardware {_text(fields, field, own)}, model {_text(fields, field, other)}"
        for field, own, other in found[:MAX_LINES]
    ]
    if len(found) > MAX_LINES:
        lines.append(f"  and {len(found) - MAX_LINES} more fields")
    seen_value = None if _is_unknown(found[0][1]) else int(found[0][1], 2)
    return PlaneDifference(run, cycle, name, int(wanted, 2), seen_value, "\n".join(lines))


def _differing(fields: PlaneFields, seen: str, expected: str) -> Iterator[tuple[str, str, str]]:
    """Yield names of fields that differ, with the bits of hardware and model."""
    end = len(seen)
    for name, bits in fields.observed:
        own, other = seen[end - bits : end], expected[end - bits : end]
        end -= bits
        if own != other:
            yield name, own, other


def _is_unknown(bits: str) -> bool:
    return bool(set(bits) - set("01"))


def _text(fields: PlaneFields, name: str, bits: str) -> str:
    """Return the value of a field as text; a word by its parts."""
    if _is_unknown(bits):
        return f"unknown ({bits})"
    value = int(bits, 2)
    if name not in fields.words:
        return f"{value:#x}"
    parts = {}
    for part, width in fields.parts_of_word(len(bits)):
        parts[part] = value & (1 << width) - 1
        value >>= width
    if not parts["valid"]:
        return "no word"
    marks = parts["marks"]
    texts = [f"word {parts['word']:#x}", f"group {marks >> 2}", *(["last"] if marks & 1 else [])]
    texts += ["error"] if marks & 2 else []
    return ", ".join([*texts, *_branches(fields, name, parts["valid"])])


def _branches(fields: PlaneFields, name: str, valid: int) -> list[str]:
    """Return the branches of a word in a down bank."""
    if not name.endswith("_down"):
        return []
    branches = fields.plan.tree.branches_of(int(name.removeprefix("s").removesuffix("_down")))
    named = [f"{'p' if one.is_processor else 's'}{one.number}" for one in branches if valid >> one.port & 1]
    return [f"to {' '.join(named)}"]
