"""Report on the first row in which hardware and golden model differ."""

from collections.abc import Sequence

from hydranoc.lockstep.rows.compare import RowDifference

MAX_LINES = 20
"""Differing fields in a report."""


def difference_report(title: str, found: RowDifference, fields: Sequence[tuple[str, str, str]]) -> str:
    """Return a difference as text.

    Parameters:
        title: Of the hardware.
        found
        fields: Names of the fields that differ, with the values of hardware and model as text.
    """
    lines = [f"{title}: first difference in cycle {found.compared_cycles}"]
    if found.compared_cycles != found.cycle:
        lines[0] += f", cycle {found.cycle} since the reset of run {found.run}"
    lines += [f"  {field}: hardware {own}, model {other}" for field, own, other in fields[:MAX_LINES]]
    if len(fields) > MAX_LINES:
        lines.append(f"  and {len(fields) - MAX_LINES} more fields")
    return "\n".join(lines)


def is_unknown(bits: str) -> bool:
    """Return whether a simulator's bits are not all 0 or 1."""
    return bool(set(bits) - set("01"))
