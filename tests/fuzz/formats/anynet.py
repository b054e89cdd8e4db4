"""BookSim's anynet files."""

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.case import CONFIGURATION, Format
from tests.fuzz.formats.network_files import links, network_cases
from tests.fuzz.word_mutations import miswritten


@st.composite
def networks(draw: DrawFn) -> str:
    """A network, each link at one of its ends or at both, with a latency or without."""
    switches, edges = draw(links())
    step = draw(st.sampled_from((1, 1, 7)))
    lines = [f"router {switch * step} node {switch}" for switch in range(switches)]
    for a, b in edges:
        for one, other in ((a, b), (b, a)) if draw(st.booleans()) else ((a, b),):
            latency = draw(st.sampled_from(("", "", " 1", " 3")))
            lines.append(f"router {one * step} router {other * step}{latency}")
    return "\n".join([*lines, draw(st.sampled_from(("", "# end", "\t")))])


SAMPLE = (Path(__file__).parents[3] / "examples" / "cluster.anynet").read_bytes()
contents = st.one_of(
    miswritten(networks()), miswritten(networks()), damaged(st.just(SAMPLE) | networks().map(str.encode))
)
FORMAT = Format("anynet", network_cases(contents, ("a.anynet",)), about=("a.anynet:", f"{CONFIGURATION}:"))
