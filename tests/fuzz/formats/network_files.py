"""Shared parts of the formats of networks: a configuration that names a file, and random networks to write."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.fuzz.case import CONFIGURATION, Case

Links = list[tuple[int, int]]


def network_cases(contents: SearchStrategy[bytes], names: tuple[str, ...]) -> SearchStrategy[Case]:
    """Cases in which a configuration names a network file with such a content."""
    return st.builds(_case, contents, st.sampled_from(names))


def _case(content: bytes, name: str) -> Case:
    text = f"network:\n  family: spam\n  topology: {{file: {name}}}\n"
    return Case({CONFIGURATION: text.encode(), name: content}, ("check", CONFIGURATION))


@st.composite
def links(draw: DrawFn) -> tuple[int, Links]:
    """Number of switches, and links that connect them all."""
    switches = draw(st.integers(1, 6))
    tree = [(draw(st.integers(0, switch - 1)), switch) for switch in range(1, switches)]
    further = draw(st.lists(st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1)), max_size=3))
    return switches, tree + [link for link in further if link[0] != link[1]]
