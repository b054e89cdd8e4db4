"""MSCCL programs, with XML's own traps."""

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.fuzz.byte_mutations import damaged
from tests.fuzz.formats.graphml import ENCODINGS, TRAPS
from tests.fuzz.formats.programs import program_format
from tests.fuzz.word_mutations import miswritten
from tests.sim_model.programs.writers import msccl, step


@st.composite
def programs(draw: DrawFn) -> str:
    """Chunks that go round a ring of GPUs."""
    gpus = draw(st.integers(2, 4))
    blocks = [
        [((gpu + 1) % gpus, (gpu - 1) % gpus, [step(0, "s", count=draw(st.integers(0, 3))), step(1, "r", count=3)])]
        for gpu in range(gpus)
    ]
    if draw(st.booleans()):
        wait = draw(st.sampled_from(((0, 0), (0, 1), (-1, -1))))
        blocks[0].append((-1, -1, [step(0, draw(st.sampled_from(("cpy", "nop", "re"))), wait=wait)]))
    return msccl(blocks, collective=draw(st.sampled_from(("custom", "allgather", "broadcast")))).decode()


@st.composite
def declared(draw: DrawFn) -> bytes:
    """A program under another declaration of its encoding."""
    name = draw(st.sampled_from(ENCODINGS))
    return f'<?xml version="1.0" encoding="{name}"?>\n{draw(programs())}'.encode()


BROADCAST = '<algo nchunksperloop="{}" ngpus="{}" coll="broadcast"><gpu id="0"/></algo>'
OWN_TRAPS = (
    *TRAPS,
    *(BROADCAST.format(chunks, gpus) for chunks in (1, 999999999) for gpus in (1, 4, 65536)),
    '<algo nchunksperloop="1" ngpus="1"/>',
    "<algo/>",
)
SAMPLE = msccl([[(1, -1, [step(0, "s")])], [(-1, 0, [step(0, "r")])]])
contents = st.one_of(
    miswritten(programs()),
    miswritten(programs()),
    declared(),
    miswritten(st.sampled_from(OWN_TRAPS)),
    damaged(programs().map(str.encode)),
)
FORMAT = program_format("msccl", "mscclxml", "a.xml", contents, SAMPLE, ", bytes_per_chunk: 100")
