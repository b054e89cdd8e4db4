"""Report on the first cycle in which a plane's hardware and golden model differ."""

from collections.abc import Iterator

from hydranoc.lockstep.plane.comparison import PlaneDifference
from hydranoc.lockstep.plane.fields import PlaneFields
from hydranoc.lockstep.rows.compare import RowDifference
from hydranoc.lockstep.rows.report import difference_report, is_unknown


def difference_of(fields: PlaneFields, found: RowDifference) -> PlaneDifference:
    """Return the difference between two rows of observed bits, by fields."""
    differing = list(_differing(fields, found.seen, found.expected))
    name, own, wanted = differing[0]
    texts = [(field, _text(fields, field, own), _text(fields, field, other)) for field, own, other in differing]
    seen = None if is_unknown(own) else int(own, 2)
    return PlaneDifference(found.run, found.cycle, name, int(wanted, 2), seen, difference_report("plane", found, texts))


def _differing(fields: PlaneFields, seen: str, expected: str) -> Iterator[tuple[str, str, str]]:
    """Yield names of fields that differ, with the bits of hardware and model."""
    end = len(seen)
    for name, bits in fields.observed:
        own, other = seen[end - bits : end], expected[end - bits : end]
        end -= bits
        if own != other:
            yield name, own, other


def _text(fields: PlaneFields, name: str, bits: str) -> str:
    """Return the value of a field as text; a word by its parts."""
    if is_unknown(bits):
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
