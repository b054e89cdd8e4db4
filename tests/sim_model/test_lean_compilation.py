"""Compilation with less work than Numba's own: in use with this version of Numba, and not needed."""

import os
import subprocess
import sys
from pathlib import Path

import numba

from sim_model.engines.plane.layout import plane_layout, room_for
from sim_model.engines.plane.loop import plane_loop
from sim_model.hypercube.planes.layout import cube_layout
from sim_model.hypercube.planes.loop import cube_loop
from sim_model.loops import pipeline
from sim_model.torus.planes import find_route

ROOT = Path(__file__).parent.parent.parent
WITHOUT_HOOKS = "import sys; sys.modules['sim_model.loops.lean'] = None"
SUM_OF_FIELDS = """
from typing import NamedTuple
import numpy as np
from sim_model.loops.compiled import compiled, compiled_loop

class State(NamedTuple):
    numbers: np.ndarray
    factor: int

@compiled
def scaled(position, state):
    return state.numbers[position] * state.factor

def total(state):
    found, last = 0, 0
    for position in range(len(state.numbers)):
        number = scaled(position, state)
        if number > 4:
            last = number
        found += number + last
    return found

loop = compiled_loop(total)
state = State(np.arange(5), 3)
assert loop(state) == total(state) == 57, (loop(state), total(state))
from sim_model.loops import pipeline
print(pipeline.LoopLibrary.__module__)
"""


def test_numba_has_what_lean_compilation_changes():
    assert pipeline.LoopLibrary.__module__ == "sim_model.loops.lean", (
        f"numba {numba.__version__} does not have all of sim_model/loops/lean.py: HOOKS; "
        "adapt it to this version, or compiling takes four times as long"
    )


def test_loops_are_compiled_with_and_without_the_hooks(tmp_path):
    for first, expected in (("", "lean"), (WITHOUT_HOOKS, "plain")):
        (tmp_path / "run.py").write_text(f"{first}\n{SUM_OF_FIELDS}")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HYDRANOC_LOOPS": str(tmp_path / expected)}
        command = [sys.executable, str(tmp_path / "run.py")]
        found = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert found.stdout.strip() == f"sim_model.loops.{expected}", found.stderr


def test_buffers_of_one_to_eight_flits_need_two_loops():
    rooms = [room_for(depth) for depth in range(1, 17)]
    assert rooms == [4] * 4 + [8] * 4 + [16] * 8
    folder = ROOT / "sim_model" / "torus"
    assert len({plane_loop(plane_layout(5, 2, room, find_route), folder) for room in rooms[:8]}) == 2
    assert len({cube_loop(cube_layout(4, 2, room, 1, 1)) for room in rooms[:8]}) == 2
