"""Documents that a JSON Schema allows, with small numbers; and all of its keys."""

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

Schema = dict[str, Any]

TEXTS: dict[str, tuple[str, ...]] = {
    "software": ("binomial", "separate", "umin", "cmin", "u-torus", "spu", "4IIIB", "recursive-doubling", "nothing"),
    "scheme": ("u-torus", "u-mesh", "4IIIB", "spu", "binomial"),
    "algorithm": ("6-bcast", "A5", "1-bcast", "nothing"),
    "pattern": (
        "uniform",
        "transpose",
        "bit-complement",
        "bit-reverse",
        "shuffle",
        "tornado",
        "neighbour",
        "os:getcwd",
    ),
    "routing": ("tables.csv", "os:getcwd", "missing.py:f", "nothing"),
    "file": ("a.csv", "a.edges", "a.goal", "missing.xml", "a{rank}.et"),
}
"""Words by key, where the schema requires only a text."""
RANGES: dict[str, tuple[int, int]] = {
    "cycles": (1, 300),
    "flit_bits": (8, 70),
    "flits": (1, 30),
    "switches": (1, 7),
    "processor": (0, 8),
    "source": (0, 8),
    "seed": (0, 9),
}
WIDTH = 4
"""Distance of numbers without a range of their own from the minimum."""


@st.composite
def documents(draw: DrawFn, schema: Schema) -> Any:
    """A document that a schema allows."""
    return _Drawn(draw, schema).value(schema, "")


class _Drawn:
    """A document, made from the top."""

    def __init__(self, draw: DrawFn, whole: Schema):
        self._draw, self._whole = draw, whole

    def value(self, schema: Schema, key: str) -> Any:
        if "$ref" in schema:
            return self.value(self._whole["$defs"][schema["$ref"].rpartition("/")[2]], key)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self.value(self._choice(schema[several]), key)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._choice(schema["enum"])
        kind = schema.get("type", "null")
        return getattr(self, f"_{kind if isinstance(kind, str) else self._choice(kind)}")(schema, key)

    def _choice(self, of: Any) -> Any:
        return self._draw(st.sampled_from(of))

    def _object(self, schema: Schema, _key: str) -> dict[Any, Any]:
        if "properties" not in schema:
            sizes = self._draw(st.lists(st.integers(1, 20), min_size=1, max_size=3, unique=True))
            return {size: round(1 / len(sizes), 3) for size in sizes}
        needed = schema.get("required", ())
        return {
            name: self.value(part, name)
            for name, part in schema["properties"].items()
            if name in needed or self._draw(st.integers(0, 3)) == 0
        }

    def _array(self, schema: Schema, key: str) -> list[Any]:
        least = schema.get("minItems", 0)
        size = self._draw(st.integers(least, min(schema.get("maxItems", least + 3), least + 3)))
        return [self.value(schema["items"], key) for _ in range(size)]

    def _integer(self, schema: Schema, key: str) -> int:
        least = schema.get("minimum", 0)
        first, last = RANGES.get(key, (least, least + WIDTH))
        return self._draw(st.integers(max(first, least), min(last, schema.get("maximum", last))))

    def _number(self, schema: Schema, _key: str) -> float:
        shares = (0.01, 0.05, 0.5, 0.25, 1.0)
        return self._choice(shares) if schema.get("maximum", 2) <= 1 else self._choice((1.0, 2.5, 10.0))

    def _string(self, _schema: Schema, key: str) -> str:
        return self._choice(TEXTS.get(key, ("a", "s0", "0")))

    def _boolean(self, _schema: Schema, _key: str) -> bool:
        return self._draw(st.booleans())

    def _null(self, _schema: Schema, _key: str) -> None:
        return None


def keys_of(schema: Any) -> Iterator[str]:
    """All keys anywhere in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield from schema["properties"]
        for part in schema.values():
            yield from keys_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys_of(part)
