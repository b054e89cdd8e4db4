"""Files that commands read back: results and routing tables."""

import io
import json

from hypothesis import strategies as st

import hydranoc.pictures.draw
import hydranoc.report_page.run
from hydranoc import load
from hydranoc.config.load import NETWORK
from hydranoc.families.table_files import names_of, write_tables
from hydranoc.reports.summary import write_messages
from hydranoc.studies.common.measured import MEASURED
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.mutations import ODD_TEXT, damaged, mistaken, miswritten

CONTENT = """network: {family: spam, topology: {kind: mesh, shape: [2, 2]}}
traffic: {kind: random, cycles: 100, messages_per_node_per_cycle: 0.02, flits: 6}
"""
MESSAGES, TABLE, FIGURE = "a.csv", "sweep.csv", "figure.json"
SWEEP = """network.buffer_flits,verdict,cycles,unicast_mean,unicast_half_width,unicast_accepted
1,stable,2000,33.25,0.5,0.01
2,stable,2000,31.5,0.25,0.02
4,saturated,4000,,,0.03
"""
"""As ``hydranoc sweep`` writes it."""


def _case(file: str, content: bytes, *arguments: str) -> Case:
    files = {CONFIGURATION: CONTENT.encode(), file: content}
    return Case(files, (arguments[0], CONFIGURATION, *arguments[1:], file, "-o", RESULTS))


def _messages() -> str:
    import tempfile
    from pathlib import Path

    import yaml

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / MESSAGES
        write_messages(load(yaml.safe_load(CONTENT)).simulate().results, path)
        return path.read_text()


def _mangled(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


messages = st.deferred(lambda: st.just(_messages()))
MESSAGES_FORMAT = Format(
    "messages.csv",
    st.one_of(miswritten(messages), damaged(messages.map(str.encode))).map(
        lambda content: _case(MESSAGES, content, "draw", "--load")
    ),
    about=(f"{MESSAGES}:",),
    reached=((hydranoc.pictures.draw, "draw_network"),),
)

tables = st.one_of(
    miswritten(st.just(SWEEP)),
    miswritten(st.just(SWEEP)),
    damaged(st.just(SWEEP.encode())),
)
SWEEPS_FORMAT = Format(
    "tables of sweeps",
    st.builds(
        lambda content, suffix: _case(f"sweep.{suffix}", content, "report", "--sweep"),
        tables,
        st.sampled_from(("csv", "csv", "csv", "parquet", "txt")),
    ),
    about=("sweep.",),
    first=(_case(TABLE, SWEEP.encode(), "report", "--sweep"),),
)

KEPT = json.loads(next(iter(sorted(MEASURED.glob("*.json")))).read_text())
KEYS = ("title", "claims", "plot", "series", "x", "y", "panel", "panels", "levels", "bars", "log_x", "x_names", "error")
figures = st.one_of(
    mistaken(st.just(KEPT), KEYS).map(lambda document: json.dumps(document, indent=1).encode()),
    mistaken(st.just(KEPT), KEYS).map(lambda document: json.dumps(document, indent=1).encode()),
    miswritten(st.just(json.dumps(KEPT, indent=1))),
    damaged(st.just(json.dumps(KEPT).encode())),
    st.sampled_from(ODD_TEXT).map(_mangled),
    st.sampled_from((b"[" * 100_000, b'{"a":' * 50_000, b'{"title": 1e999}', b'{"title": NaN}')),
)
FIGURES_FORMAT = Format(
    "figures",
    figures.map(lambda content: _case(FIGURE, content, "report", "--figure")),
    about=(f"{FIGURE}:",),
    first=(_case(FIGURE, json.dumps(KEPT).encode(), "report", "--figure"),),
)


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


def _table_case(network: dict, content: bytes, command: tuple[str, ...]) -> Case:
    files = {CONFIGURATION: _named(network, FILE).encode(), FILE: content}
    return Case(files, (command[0], CONFIGURATION, *command[1:]))


SAMPLES = tuple(_tables(network) for network in NETWORKS)
contents = st.one_of(
    miswritten(st.sampled_from(SAMPLES)),
    miswritten(st.sampled_from(SAMPLES)),
    damaged(st.sampled_from(SAMPLES).map(str.encode)),
)
COMMANDS = (("check",), ("check", "--tables", f"{RESULTS}/out.csv"), ("model", "-o", RESULTS))
FIRST = tuple(_table_case(NETWORKS[number], SAMPLES[number].encode(), COMMANDS[2]) for number in range(len(NETWORKS)))
FORMAT = Format(
    "table files",
    st.builds(_table_case, st.sampled_from(NETWORKS), contents, st.sampled_from(COMMANDS[:3])),
    about=(f"{FILE}:", f"{CONFIGURATION}:"),
    first=FIRST,
)
