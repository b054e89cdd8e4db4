"""GOAL programs."""

from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.formats.programs import program_format
from tests.fuzz.word_mutations import miswritten

EXAMPLES = Path(__file__).parents[3] / "examples"


@st.composite
def programs(draw: DrawFn) -> str:
    """Messages from rank to rank, each received, with computations between them."""
    ranks = draw(st.integers(2, 4))
    lines: list[list[str]] = [["l0: calc 10"] for _ in range(ranks)]
    for number in range(1, draw(st.integers(2, 5))):
        a, b = draw(st.permutations(range(ranks)))[:2]
        tag = draw(st.sampled_from(("", " tag 3", " tag 4 cpu 1")))
        size = draw(st.integers(0, 300))
        lines[a] += [f"l{number}: send {size}b to {b}{tag}", f"l{number} requires l0"]
        lines[b] += [f"l{number}: recv {size}b from {a}{tag}"]
        lines[b] += draw(st.sampled_from(([], [f"l{number} requires l0"], [f"l{number} irequires l0"])))
    blocks = [f"rank {rank} {{\n" + "\n".join(inside) + "\n}" for rank, inside in enumerate(lines)]
    return "\n".join([f"num_ranks {ranks}", *blocks, draw(st.sampled_from(("", "// end", "/* end */")))])


TRAPS = (
    *(
        "num_ranks 65536\n",
        "num_ranks 2\nrank 0 {" + "\na: calc 1" * 3 + "\na requires a }",
        "/*" * 3000,
        "num_ranks 1 rank 0 { }",
    ),
    "num_ranks 2 rank 0 { a: calc 1 b: calc 1 a requires b b requires a } rank 1 { }",
    "num_ranks 2 rank 0 { bcast_1: send 8b to 1 } rank 1 { recv 8b from 0 }",
    "num_ranks 2 rank 0 { calc 999999999999999999 a: send 8b to 1 } rank 1 { recv 8b from 0 }",
    "num_ranks 2 rank 0 { a: send 999999999999999999b to 1 } rank 1 { recv 999999999999999999b from 0 }",
)
SAMPLES = [(EXAMPLES / name).read_bytes() for name in ("tree.goal", "broadcast.goal")]
contents = st.one_of(
    miswritten(programs()),
    miswritten(programs()),
    miswritten(st.sampled_from(TRAPS)),
    damaged(st.sampled_from(SAMPLES) | programs().map(str.encode)),
)
FORMAT = program_format("goal", "goal", "a.goal", contents, SAMPLES[0])
