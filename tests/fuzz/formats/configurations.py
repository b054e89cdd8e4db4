"""Configurations from the schema, and their hardware."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import fpga.common.subject
import rtl.endpoints.axi_network
import rtl.generator.network
from hydranoc import load
from hydranoc.config.reference.page import json_schema
from hydranoc.config.schema import ListTraffic, RandomTraffic
from hydranoc.families.registry import OWN_FAMILIES
from sim_model.traffic.permutations import PERMUTATIONS
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.mutations import damaged, mistaken, miswritten, odd_values, odd_words

Schema = dict[str, Any]

TEXTS: dict[str, tuple[str, ...]] = {
    "software": ("binomial", "separate", "umin", "cmin", "u-torus", "spu", "4IIIB", "recursive-doubling", "nothing"),
    "scheme": ("u-torus", "u-mesh", "4IIIB", "spu", "binomial"),
    "algorithm": ("6-bcast", "A5", "1-bcast", "nothing"),
    "pattern": ("uniform", *PERMUTATIONS, "os:getcwd"),
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


SCHEMA = json_schema(OWN_FAMILIES)
KEYS = tuple(dict.fromkeys(keys_of(SCHEMA)))
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
MAX_CHANNELS, MAX_EVENTS, MAX_BLOCKED_CYCLES = 400, 20_000, 1_000_000

RANDOM = {"kind": "random", "seed": 1, "cycles": 200, "messages_per_node_per_cycle": 0.01, "flits": 8}
LIST = {"kind": "list", "messages": [{"source": 0, "destinations": [1], "flits": 9, "start_cycle": 3}]}
SMALL: tuple[dict[str, Any], ...] = (
    {"network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 3]}, "root": 0}, "traffic": RANDOM},
    {"network": {"family": "spam", "topology": {"switches": 3, "edges": [[0, 1], [1, 2]]}}, "traffic": LIST},
    {
        "network": {"family": "spam", "topology": {"kind": "lattice", "switches": 6}},
        "hosts": {"pause": 0.25, "seed": 3},
    },
    {
        "network": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 2}},
        "traffic": {**RANDOM, "multicast_fraction": 0.3, "destinations": 2},
        "hosts": {"stall": 0.5, "blocked": [{"processor": 1, "start_cycle": 10, "cycles": 50}]},
    },
    {
        "network": {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "packet_flits": 17},
        "traffic": {**RANDOM, "multicast_fraction": 0.1, "algorithm": "6-bcast"},
    },
    {
        "network": {"family": "torus", "topology": {"kind": "torus", "rows": 4, "columns": 4}, "virtual_channels": 2},
        "traffic": {"kind": "multinode", "scheme": "2IIB", "sources": 3, "destinations": 4, "flits": 9},
    },
    {
        "network": {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 3}, "virtual_channels": 3},
        "traffic": {**RANDOM, "broadcast_fraction": 0.1, "software": "recursive-doubling"},
    },
    {
        "network": {"family": "torus", "topology": {"kind": "mesh", "rows": 3, "columns": 2}, "virtual_channels": 1},
        "traffic": {
            **RANDOM,
            "flits": {4: 0.5, 9: 0.5},
            "reply": {"flits": 5, "outstanding": 2},
            "pattern": "neighbour",
        },
    },
    {
        "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [3, 3]}},
        "traffic": {
            **RANDOM,
            "injection": {"kind": "bursts", "rate_in_bursts": 0.2, "mean_burst_cycles": 20},
            "pattern": {"kind": "hot-spot", "nodes": [1], "share": 0.5},
            "multicast_fraction": 0.2,
            "multicast_pattern": {"kind": "groups", "groups": [[0, 1, 2], [3, 4]]},
        },
    },
    {
        "network": {
            "family": "torus",
            "topology": {"kind": "torus", "rows": 3, "columns": 2},
            "collectives": {"groups": ["all", [0, 1, 4]], "operators": ["sum"], "root": 1},
        },
        "traffic": {
            "kind": "collective",
            "operations": [
                {"operation": "all-reduce", "algorithm": "plane", "flits": 3},
                {"operation": "barrier", "algorithm": "dissemination"},
                {"operation": "barrier", "algorithm": "plane", "group": [0, 1, 4]},
            ],
        },
    },
)
TRAPS = (
    "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}' if i else '*a'] * 10)}]\n" for i in range(9))
    + "network: *a8\n",
    "network: &n {family: spam, topology: {kind: ring, switches: 4}}\n? *n\n: 1\n",
    "network: {" * 3000,
    "[" * 20_000,
    "- " * 3000,
    "? " * 3000,
    "network: !!python/object/apply:os.system [id]\n",
    "network: {<<: [{a: 1}, {b: 2}], family: spam}\n",
    "<<: &a {<<: *a}\n",
    "%YAML 9.9\n---\nnetwork: {}\n",
    "network: |\n" + " a\n" * 1000,
    "a: &a\n" * 300 + "network: *a\n",
    "network: {family: spam, family: spam}\n",
    "network:\n\tfamily: spam\n",
    "network: {family: spam, topology: {kind: chain, switches: 3}}\n...\n...\n---\n",
)


def written(document: Any) -> str:
    """A document as YAML."""
    return yaml.dump(document, Dumper=DUMPER, sort_keys=False, allow_unicode=True, width=100)


def is_large(_folder: Path, _case: Case) -> bool:
    """True for a valid configuration whose run takes longer than a moment."""
    config = load(CONFIGURATION).config
    traffic, nodes = config.traffic, len(config.network.processors)
    blocked = sum(blockade.cycles for blockade in config.hosts.blocked)
    if len(config.network.channels) > MAX_CHANNELS or blocked > MAX_BLOCKED_CYCLES:
        return True
    if isinstance(traffic, RandomTraffic):
        longest = traffic.flits if isinstance(traffic.flits, int) else max(traffic.flits)
        return traffic.cycles * traffic.messages_per_node_per_cycle * nodes * longest > MAX_EVENTS * 10
    return isinstance(traffic, ListTraffic) and len(traffic.messages) > MAX_EVENTS


def _case(content: bytes, arguments: tuple[str, ...]) -> Case:
    return Case({CONFIGURATION: content}, (arguments[0], CONFIGURATION, *arguments[1:]))


small = st.sampled_from(SMALL)
allowed = documents(SCHEMA)
contents = st.one_of(
    mistaken(small, KEYS).map(lambda document: written(document).encode()),
    mistaken(small, KEYS).map(lambda document: written(document).encode()),
    mistaken(allowed, KEYS).map(lambda document: written(document).encode()),
    miswritten(small.map(written)),
    miswritten(allowed.map(written)),
    miswritten(st.sampled_from(TRAPS)),
    damaged(small.map(lambda document: written(document).encode())),
)
COMMANDS = (
    ("check",),
    ("model", "-o", RESULTS),
    ("model", "-o", RESULTS),
    ("model", "-o", RESULTS, "--goal", "--json"),
    ("model", "-o", RESULTS, "--engine", "cycle"),
)
FIRST = tuple(
    _case(written({"traffic": RANDOM, **document}).encode(), command)
    for document in SMALL
    for command in COMMANDS
    if "--goal" not in command or "collectives" not in document["network"]  # a program cannot have a plane
)
FORMAT = Format(
    "configurations",
    st.builds(_case, contents, st.sampled_from(COMMANDS)),
    about=(f"{CONFIGURATION}:",),
    large=is_large,
    first=FIRST,
)


VALUES: dict[str, tuple[Any, ...]] = {
    "counters": (True, False),
    "tables": ("fixed", "loadable"),
    "worm_guard": (True, False),
    "watchdog_flits": (0, 1, 8, 24, 65535),
    "header": ("bit_string", "parts"),
    "flit_bits": (8, 9, 16, 33, 64, 512),
    "buffer_flits": (1, 2, 3, 16, 1024),
    "routing_cycles": (1, 2, 7),
    "link_cycles": (1, 2, 16),
    "virtual_channels": (1, 2, 8),
    "reception": ("first", "vote"),
    "reception_entries": (2, 16),
    "least_copies": (1, 6),
    "guard": (True, False),
    "pages": (1, 30),
    "injection_channels": (1, 2, 3),
    "packet_flits": (2, 17, 4096),
}
OPTIONS: dict[str, tuple[str | None, ...]] = {
    "--registers": ("axi-lite", "axi-lite", "apb", ""),
    "--axi-stream": ("tuser", "leading-word", "tdest", "tkeep"),
    "--axi-clocks": ("network", "shared", "separate", "none"),
    "--top": ("noc", "a", "9a", "module", "a b", "", "a" * 300, "\u00e9"),
    "--router": ("0", "s0", "-1", "99", "9" * 5000, "\u00b2"),
    "--tkeep": (None,),
    "--user-bits": ("0", "4", "65"),
    "--delivery-buffer-flits": ("0", "3", "16"),
    "--arrays": (None,),
    "--no-moved": (None,),
    "--json": (None,),
}


@st.composite
def networks(draw: DrawFn) -> Any:
    """A small network with some of the keys of hardware, at times with an odd value."""
    network = dict(draw(st.sampled_from(SMALL))["network"])
    for key in draw(st.lists(st.sampled_from(tuple(VALUES)), max_size=4, unique=True)):
        odd = draw(st.integers(0, 7)) == 0
        network[key] = draw(odd_values if odd else st.sampled_from(VALUES[key]))
    return {"network": network}


@st.composite
def commands(draw: DrawFn) -> tuple[str, ...]:
    """``verilog`` with some options."""
    words: list[str] = []
    for option in draw(st.lists(st.sampled_from(tuple(OPTIONS)), max_size=3, unique=True)):
        value = draw(st.sampled_from(OPTIONS[option]))
        odd = value is not None and draw(st.integers(0, 9)) == 0
        words += [option] if value is None else [option, draw(odd_words).replace("\0", "") if odd else value]
    return ("verilog", CONFIGURATION, *words, "-o", RESULTS)


def _hardware_case(document: Any, command: tuple[str, ...]) -> Case:
    return Case({CONFIGURATION: written(document).encode()}, command)


HARDWARE_FORMAT = Format(
    "hardware",
    st.builds(_hardware_case, st.one_of(networks(), networks(), mistaken(networks(), KEYS)), commands()),
    large=is_large,
    reached=(
        (rtl.generator.network, "generate_network"),
        (rtl.endpoints.axi_network, "generate_axi_network"),
        (fpga.common.subject, "generate_router"),
    ),
)
