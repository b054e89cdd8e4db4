"""Routing tables as CSV: read with mistakes, and written."""

import io

from hypothesis import strategies as st

from hydranoc import load
from hydranoc.config.load import NETWORK
from hydranoc.families.table_files import names_of, write_tables
from tests.fuzz.byte_mutations import damaged
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.word_mutations import miswritten

FILE = "a.csv"
NETWORKS = (
    {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 2}},
)
TRAFFIC = "traffic: {kind: random, cycles: 200, messages_per_node_per_cycle: 0.02, flits: 6, multicast_fraction: 0.2}\n"


def _tables(network: dict) -> str:
    design, file = load({"network": network}), io.StringIO()
    write_tables(design.routing, names_of(design.config, design.routing, NETWORK), file)
    return file.getvalue()


def _named(network: dict, file: str) -> str:
    return f"network: {{family: {network['family']}, topology: {network['topology']}, routing: {file}}}\n{TRAFFIC}"


def _case(network: dict, content: bytes, command: tuple[str, ...]) -> Case:
    files = {CONFIGURATION: _named(network, FILE).encode(), FILE: content}
    return Case(files, (command[0], CONFIGURATION, *command[1:]))


SAMPLES = tuple(_tables(network) for network in NETWORKS)
contents = st.one_of(
    miswritten(st.sampled_from(SAMPLES)),
    miswritten(st.sampled_from(SAMPLES)),
    damaged(st.sampled_from(SAMPLES).map(str.encode)),
)
COMMANDS = (("check",), ("check", "--tables", f"{RESULTS}/out.csv"), ("model", "-o", RESULTS))
FIRST = tuple(_case(NETWORKS[number], SAMPLES[number].encode(), COMMANDS[2]) for number in range(len(NETWORKS)))
FORMAT = Format(
    "table files",
    st.builds(_case, st.sampled_from(NETWORKS), contents, st.sampled_from(COMMANDS[:3])),
    about=(f"{FILE}:", f"{CONFIGURATION}:"),
    first=FIRST,
)
