"""Chakra traces: nodes with mistakes, wrong lengths, and damaged bytes."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.formats.programs import program_format
from tests.sim_model.programs.writers import attribute, base128, chakra, node, run

NUMBERS = (0, 1, 2, 3, 4, 7, 255, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1)
NAMES = ("comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "comm_root", "pg_name", "nothing", "")
RANKS = 4


@st.composite
def nodes(draw: DrawFn) -> list[bytes]:
    """Computations and collective operations, the same ones in each file: all ranks agree."""
    made = [node(0, 4, duration=draw(st.integers(0, 50)))]
    for number in range(1, draw(st.integers(2, 5))):
        kind, size = draw(st.integers(0, 8)), draw(st.integers(0, 500))
        before = draw(st.lists(st.integers(0, number - 1), max_size=2, unique=True))
        made.append(node(number, 7, data=before, comm_type=kind, comm_size=size, pg_name="all"))
    return made


@st.composite
def odd_nodes(draw: DrawFn) -> bytes:
    """A node with fields and attributes at random, some of them twice or of another type."""
    parts = []
    for _ in range(draw(st.integers(1, 6))):
        number = draw(st.sampled_from((1, 2, 3, 4, 5, 7, 10, 11, 1000)))
        content = draw(st.sampled_from((b"", b"\x80", b"\x01\x02", base128(2**64 - 1), b"\xff" * 10, b"a" * 200)))
        value = draw(st.sampled_from(NUMBERS))
        forms = (
            base128(number * 8) + base128(value),
            run(number, content),
            base128(number * 8 + draw(st.integers(0, 7))),
        )
        parts.append(draw(st.sampled_from(forms)))
    parts += [_odd_attribute(draw) for _ in range(draw(st.integers(0, 3)))]
    return node(draw(st.integers(5, 9)), draw(st.integers(0, 9))) + b"".join(draw(st.permutations(parts)))


def _odd_attribute(draw: DrawFn) -> bytes:
    name = draw(st.sampled_from(NAMES))
    value = draw(st.sampled_from((*NUMBERS[:8], -1, -(2**63), True, "", "all", "\u00e9")))
    return attribute(name, value)


@st.composite
def files(draw: DrawFn) -> bytes:
    """A file with none to two odd nodes."""
    made = draw(nodes())
    for _ in range(draw(st.sampled_from((0, 1, 1, 2)))):
        made.insert(draw(st.integers(0, len(made))), draw(odd_nodes()))
    return chakra(made)


@st.composite
def lying(draw: DrawFn) -> bytes:
    """A file in which a length differs from the actual one."""
    parts = [run(1, b"0.0.4"), *draw(nodes())]
    wrong = draw(st.integers(0, len(parts) - 1))
    length = base128(draw(st.sampled_from(NUMBERS)))
    return b"".join((length if i == wrong else base128(len(part))) + part for i, part in enumerate(parts))


contents = st.one_of(files(), files(), lying(), damaged(files()))
SAMPLE = chakra([node(0, 4, duration=3), node(1, 7, data=[0], comm_type=0, comm_size=100, pg_name="all")])
FORMAT = program_format("chakra", "chakra", "a.et", contents, SAMPLE, f", ranks: {RANKS}, control_dependencies: true")
