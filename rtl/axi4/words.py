"""Fields of the words of packets."""

from typing import Any

from amaranth.hdl import Value

from topology.axi4.words import Fields


def fields_of(word: Any, fields: Fields) -> dict[str, Any]:
    """Return the fields of a word by name."""
    found, low = {}, 0
    for name, bits in fields:
        found[name] = Value.cast(word)[low : low + bits]
        low += bits
    return found
