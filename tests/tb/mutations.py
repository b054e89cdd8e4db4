"""One-line faults of the hardware, and the Verilog of a network that has one of them.

The hardware modules import each other, so a fault is put into a copy of the whole ``rtl`` package, and another process
that imports the copy writes the Verilog.
"""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_GENERATE = """
import importlib, pickle, sys
from dataclasses import replace
from rtl.endpoints.harness import generate_harness

family, routing, settings, counters = pickle.load(sys.stdin.buffer)
make_plan = getattr(importlib.import_module(f"rtl.{family}.network"), f"{family}_plan")
plan = replace(make_plan(routing, **settings), counters=counters)
sys.stdout.write(generate_harness(plan).files["harness.v"])
"""


@dataclass(frozen=True)
class Mutation:
    """One changed line.

    name: What the hardware does wrong.
    file: Where, below ``rtl/``.
    text: A piece of a line that occurs in the file exactly once.
    workload: Name of the workload that must bring it to light.
    """

    name: str
    file: str
    text: str
    replacement: str
    workload: str = "multi-flit-headers"


MUTATIONS = (
    # copying flits and releasing outputs
    Mutation(
        "copies although one output is full",
        "spam/router.py",
        "~(request & ~crossbar.free).any()",
        "(request & crossbar.free).any()",
    ),
    Mutation(
        "copies to the first output only",
        "spam/router.py",
        "Mux(copied, request, 0)",
        "Mux(copied, request & -request, 0)",
    ),
    Mutation(
        "releases before the tail is copied",
        "spam/router.py",
        "copied & buffer.flit.tail",
        "queues.granted[i] & buffer.present & buffer.flit.tail",
    ),
    Mutation(
        "keeps one output after the release",
        "routed/header_scanner.py",
        "[self.queued.eq(0), self.request.eq(0)]",
        "[self.queued.eq(0), self.request.eq(self.request & (self.request - 1))]",
    ),
    Mutation(
        "changes a flit that waits on the link",
        "parts/output_register.py",
        "with m.If(self.free):",
        "with m.If(self.free | link.valid):",
    ),
    # output request queues
    Mutation(
        "enqueues request by request",
        "spam/router.py",
        "if self.parameters.atomic_enqueue:",
        "if not self.parameters.atomic_enqueue:",
    ),
    Mutation("lets a newcomer overtake", "spam/ocrq.py", "free.eq(~Mux(newest[i], claimed, 0))", "free.eq(-1)"),
    Mutation(
        "keeps a newcomer waiting for inputs that have left",
        "spam/ocrq.py",
        "Mux(self.queued[i] & ~self.release[i], self.request[i], 0)",
        "Mux(self.queued[i], self.request[i], 0)",
    ),
    Mutation(
        "forgets that input 0 was first",
        "spam/ocrq.py",
        "begins = newest[younger] & self.queued[older] & shared",
        "begins = newest[younger] & self.queued[older] & shared & (older > 0)",
    ),
    Mutation(
        "never stops waiting for input 1",
        "spam/ocrq.py",
        "wait.eq((wait | begins) & ~self.release[older])",
        "wait.eq((wait | begins) & ~(self.release[older] & (older != 1)))",
    ),
    Mutation(
        "lets only equal requests conflict",
        "spam/ocrq.py",
        "(self.request[i] & self.request[j]).any()",
        "self.request[i] == self.request[j]",
    ),
    Mutation(
        "lets a request block while it is being collected",
        "spam/ocrq.py",
        "begins = newest[younger] & self.queued[older] & shared",
        "begins = newest[younger] & shared",
    ),
    Mutation(
        "copies a worm that waits for another output",
        "spam/ocrq.py",
        "self.granted[i].eq(unhindered & ~(self.request[i] & ~free).any())",
        "self.granted[i].eq(unhindered & (self.request[i] & free).any())",
    ),
    # reading headers
    Mutation(
        "swaps the reach bits of processors 0 and 1",
        "routed/routed_input.py",
        "parameters.outputs].ravel()",
        "parameters.outputs][:, [1, 0, *range(2, routing.reach.shape[2])]].ravel()",
    ),
    Mutation(
        "takes the highest candidate",
        "routed/header_scanner.py",
        'first_at_or_after(m, flit.candidates, ~self.busy, "port")',
        'first_at_or_after(m, flit.candidates[::-1], ~self.busy[::-1], "port")[::-1]',
    ),
    Mutation(
        "ignores which candidates are busy",
        "routed/header_scanner.py",
        "flit.candidates, ~self.busy",
        "flit.candidates, flit.candidates",
    ),
    Mutation(
        "swaps the classes up and cross",
        "routed/route_unit.py",
        "self.routes, self.port_class,",
        "self.routes, self.port_class ^ 1,",
    ),
    Mutation(
        "skips the last header flit",
        "routed/header_decoder.py",
        "_is(position, self.parameters.header_flits - 1)",
        "_is(position, self.parameters.header_flits - 2)",
    ),
    Mutation(
        "forgets the outputs of earlier header flits",
        "routed/header_scanner.py",
        "collected.eq(self.request | flit.branches)",
        "collected.eq(flit.branches)",
    ),
    Mutation(
        "looks at the link before the buffer",
        "routed/header_scanner.py",
        "Mux(self.buffered_valid, Value.cast(self.buffered), Value.cast(self.arriving))",
        "Mux(self.arriving_valid, Value.cast(self.arriving), Value.cast(self.buffered))",
    ),
    Mutation(
        "routes one cycle early",
        "routed/header_scanner.py",
        "waited.eq(delay == waits)",
        "waited.eq(delay == waits - 1)",
        "routing-delay",
    ),
    Mutation(
        "never passes the turn on",
        "parts/arbiter.py",
        "later.eq(concat(chosen[:i].any() for i in range(1, self.count)))",
        "later.eq(0)",
    ),
    # input buffers
    Mutation(
        "is ready for one flit too many",
        "parts/input_buffer.py",
        "(count == self.depth) | (count == self.depth - 1) & arriving",
        "count == self.depth",
    ),
    Mutation(
        "does not advance the cursor",
        "parts/input_buffer.py",
        "cursor.eq(position + Mux(self.at_front, self.pop, self.advance))",
        "cursor.eq(position + Mux(self.at_front, self.pop, 0))",
    ),
    Mutation(
        "reads the next header one flit early",
        "parts/input_buffer.py",
        "cursor.eq(position + Mux(self.at_front, self.pop, self.advance))",
        "cursor.eq(position + Mux(self.at_front, 0, self.advance))",
    ),
    Mutation(
        "keeps the note of another flit",
        "parts/input_buffer.py",
        "arriving.decoded.eq(self.arriving_decoded)",
        "arriving.decoded.eq(self.arriving_decoded & -2)",
    ),
    Mutation(
        "loses the second flit of two",
        "parts/input_buffer.py",
        "Mux(count == self.depth, Value.cast(slots[1]), Value.cast(entry))",
        "entry",
        "routing-delay",
    ),
    # injectors
    Mutation(
        "sends one flit less",
        "parts/injector.py",
        "flits_left.eq(message.flits - 1)",
        "flits_left.eq(message.flits - 2)",
    ),
)


def copy_hardware(folder: Path, mutation: Mutation | None) -> None:
    """Put a copy of the ``rtl`` package into a folder, with a fault or without."""
    shutil.copytree(ROOT / "rtl", folder / "rtl", ignore=shutil.ignore_patterns("__pycache__"))
    if mutation is None:
        return
    file = folder / "rtl" / mutation.file
    source = file.read_text()
    if source.count(mutation.text) != 1:
        raise ValueError(
            f"rtl/{mutation.file} must have exactly once {mutation.text!r}, not {source.count(mutation.text)} times; "
            f"bring the mutation {mutation.name!r} up to date"
        )
    file.write_text(source.replace(mutation.text, mutation.replacement))


def harness_verilog(
    folder: Path, routing: Any, settings: Mapping[str, object], *, family: str = "spam", counters: bool = False
) -> str:
    """The Verilog of a network's lock-step harness, written by the ``rtl`` package in a folder."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    answer = subprocess.run(
        [sys.executable, "-c", _GENERATE],
        input=pickle.dumps((family, routing, dict(settings), counters)),
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    if answer.returncode:
        raise RuntimeError(f"the copy in {folder} wrote no Verilog:\n{answer.stderr.decode(errors='replace')}")
    return answer.stdout.decode()
