"""Messages from CSV files."""

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.word_mutations import miswritten

FILE = "a.csv"
NETWORKS = (
    "network:\n  family: spam\n  topology: {kind: mesh, shape: [2, 3]}\n",
    "network:\n  family: min\n  topology: {kind: bi-butterfly, radix: 2, stages: 3}\n",
    "network:\n  family: harts\n  topology: {kind: hexmesh, size: 2}\n",
    "network:\n  family: torus\n  topology: {kind: torus, rows: 2, columns: 3}\n",
    "network:\n  family: hypercube\n  topology: {kind: hypercube, dimensions: 3}\n",
)
NODES = 6
"""Minimum number of nodes of these networks."""


@st.composite
def rows(draw: DrawFn) -> str:
    """A trace, for networks with multicasts or for those with procedures."""
    lines = draw(st.sampled_from(([], ["cycle,source,destinations,flits"], ["# made at random", ""])))
    for _ in range(draw(st.integers(1, 5))):
        nodes = draw(st.permutations(range(NODES)))[: draw(st.integers(2, 4))]
        named = draw(st.sampled_from(("", "", ",A5")))
        between = draw(st.sampled_from((" ", ";", "; ")))
        destinations = "" if named else between.join(map(str, nodes[1:]))
        quote = draw(st.sampled_from(("", '"')))
        cycle = draw(st.integers(0, 300))
        lines = [*lines, f"{cycle},{nodes[0]},{quote}{destinations}{quote},{draw(st.integers(2, 20))}{named}"]
    return "\n".join([*lines, ""])


SAMPLE = (Path(__file__).parents[3] / "examples" / "trace.csv").read_bytes()
contents = st.one_of(miswritten(rows()), miswritten(rows()), damaged(st.just(SAMPLE) | rows().map(str.encode)))


def _case(network: str, software: str, content: bytes) -> Case:
    text = f"{network}traffic: {{kind: trace, file: {FILE}{software}}}\n"
    return Case({CONFIGURATION: text.encode(), FILE: content}, ("model", CONFIGURATION, "-o", RESULTS))


FIRST = tuple(_case(network, ", software: binomial", b"0,0,1,9\n0,1,2,9\n") for network in NETWORKS)
FORMAT = Format(
    "traces",
    st.builds(_case, st.sampled_from(NETWORKS), st.sampled_from(("", ", software: binomial")), contents),
    about=(f"{FILE}:", f"{CONFIGURATION}:"),
    first=FIRST,
)
