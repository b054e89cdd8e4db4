"""Shared parts of the formats of programs: a configuration that names one, on networks of some families."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format

NETWORKS = (
    "network:\n  family: spam\n  topology: {kind: mesh, shape: [2, 2]}\n",
    "network:\n  family: torus\n  topology: {kind: torus, rows: 2, columns: 2}\n",
    "network:\n  family: harts\n  topology: {kind: hexmesh, size: 2}\n  packet_flits: 4000\n",
)
FURTHER = (
    "",
    ", map: wrap",
    ", map: wrap, multicast: software",
    ", map: wrap, cycles_per_unit: 0.5",
    ", map: [0, 1, 2, 3]",
)


def program_format(
    name: str, kind: str, file: str, contents: SearchStrategy[bytes], sample: bytes, keys: str = ""
) -> Format:
    """Cases in which a configuration names a program with such a content.

    Parameters
    ----------
    name : str
    kind : str
        Of traffic.
    file : str
        Name of the program.
    contents : SearchStrategy of bytes
    sample : bytes
        A content that is right.
    keys : str
        Further keys of the traffic.
    """

    def case(network: str, further: str, content: bytes) -> Case:
        text = f"{network}traffic: {{kind: {kind}, file: {file}, bytes_per_flit: 64{keys}{further}}}\n"
        return Case({CONFIGURATION: text.encode(), file: content}, ("model", CONFIGURATION, "-o", RESULTS))

    cases = st.builds(case, st.sampled_from(NETWORKS), st.sampled_from(FURTHER), contents)
    first = tuple(case(network, FURTHER[2], sample) for network in NETWORKS)
    return Format(name, cases, about=(f"{file}:", f"{CONFIGURATION}:"), first=first)
