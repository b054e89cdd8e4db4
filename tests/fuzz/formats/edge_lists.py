"""Edge lists."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.case import CONFIGURATION, Format
from tests.fuzz.formats.network_files import links, network_cases
from tests.fuzz.word_mutations import miswritten


@st.composite
def networks(draw: DrawFn) -> str:
    """A network, with its nodes declared or not."""
    switches, edges = draw(links())
    prefix = draw(st.sampled_from(("", "s", "switch")))
    names = [f"{prefix}{switch}" for switch in range(switches)]
    lines = [f"switch {name}" for name in names] if draw(st.booleans()) else []
    lines += [f"processor p{number} {names[0]}" for number in range(draw(st.integers(0, 2)))]
    lines += ["processor q", f"q {names[-1]}"] if draw(st.booleans()) else []
    lines += [f"{names[a]} {names[b]}" for a, b in dict.fromkeys(edges)]
    return "\n".join(["# made at random", *lines, ""])


contents = st.one_of(miswritten(networks()), miswritten(networks()), damaged(networks().map(str.encode)))
NAMES = ("a.edges", "a.edgelist", "a.txt")
FORMAT = Format(
    "edge lists", network_cases(contents, NAMES), about=(*(f"{name}:" for name in NAMES), f"{CONFIGURATION}:")
)
