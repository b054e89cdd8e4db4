"""Machine code of loops: kept by the digest of what it is built from, found in any folder, called without Numba."""

import contextlib
import ctypes
import gc
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np
import pytest

from sim_model.engines.cycle.records import aligned_words
from sim_model.engines.plane.layout import PlaneLayout, plane_layout, room_for
from sim_model.engines.plane.loop import plane_loop
from sim_model.hypercube.planes.layout import cube_layout
from sim_model.hypercube.planes.loop import cube_loop
from sim_model.loops import digest, notices, object_code, pipeline, processors
from sim_model.loops.arguments import ArgumentError, Layout
from sim_model.loops.bits import enter
from sim_model.loops.compiled import compiled_loop
from sim_model.loops.kept import read
from sim_model.loops.machine_code import ENTRY, VALUE, load_by_llvm
from sim_model.loops.object_code import load_code
from sim_model.loops.processors import baselines
from sim_model.loops.vector_operations import (
    cube_operations,
    memory_operations,
    move_operations,
    turn_operations,
    word_operations,
)
from sim_model.torus.planes import find_route
from tests.each import each
from tests.sim_model.builders import simulate
from tests.sim_model.torus_traffic import torus_model

ROOT = Path(__file__).parent.parent.parent
FACTORS = "FACTOR = 3\n"
PARTS = """
from sim_model.loops.compiled import compiled
from kept_factors import FACTOR

@compiled
def scaled(number):
    return number * FACTOR
"""
LOOP = """
from sim_model.loops.compiled import compiled_loop
from kept_parts import scaled

@compiled_loop
def total(numbers):
    found = 0
    for number in numbers:
        found += scaled(number)
    return found
"""
RUN = """
import os
import sys
import time
from pathlib import Path
import numpy as np
from sim_model.loops import kept
sys.path.insert(0, sys.argv[1])
kept.SHIPPED_FOLDER = Path(sys.argv[2])
if "NUMBA_CPU_NAME" in os.environ:
    kept.ship()
from kept_loop import total
print(total(np.arange(5)), "llvmlite" in sys.modules)
"""


CHANGED_PARTS = PARTS.replace("number * FACTOR", "(FACTOR + number)")
EDITED = RUN.replace(
    "print(",
    f"""
Path(sys.argv[1], "kept_parts.py").write_text({CHANGED_PARTS!r})
print(""",
)
"""A source is edited between its import and the first call of the loop."""


def write_sources(folder: Path, **changed: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "run.py").write_text(RUN)
    for name, text in {"factors": FACTORS, "parts": PARTS, "loop": LOOP, **changed}.items():
        (folder / f"kept_{name}.py").write_text(text)
    return folder


def run(folder: Path, loops: Path, **environment: str) -> tuple[str, bool]:
    """Sum by the loop in a new process; and whether a compiler was loaded."""
    told = {**os.environ, "PYTHONPATH": str(ROOT), "HYDRANOC_LOOPS": str(loops), **environment}
    command = [sys.executable, str(folder / "run.py"), str(folder), str(loops.with_name("shipped"))]
    done = subprocess.run(command, env=told, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    total, loaded = done.stdout.split()
    return total, loaded == "True"


def test_loops_are_found_in_any_folder_until_a_source_changes(tmp_path):
    loops = tmp_path / "loops"
    first = write_sources(tmp_path / "one")
    assert run(first, loops) == ("30", True)
    (kept,) = loops.iterdir()
    assert kept.stat().st_mode & 0o777 == (first / "run.py").stat().st_mode & 0o777  # readable as any file is
    assert run(first, loops) == ("30", False)
    assert run(write_sources(tmp_path / "other" / "place"), loops) == ("30", False)
    constant, part, loop = (
        {"factors": "FACTOR = 4\n"},
        {"parts": PARTS.replace("number * FACTOR", "FACTOR + number")},
        {"loop": LOOP.replace("found = 0", "found = 1")},
    )
    for number, (changed, total) in enumerate(((constant, "40"), (part, "25"), (loop, "31"))):
        assert run(write_sources(tmp_path / f"changed {number}", **changed), loops) == (total, True)
        assert len(list(loops.iterdir())) == 2 + number
    kept.write_bytes(kept.read_bytes()[:-1])
    assert run(first, loops) == ("30", True)
    assert run(first, loops) == ("30", False)


def test_code_of_a_source_before_its_change_is_not_kept(tmp_path):
    loops, folder = tmp_path / "loops", write_sources(tmp_path / "one")
    (folder / "run.py").write_text(EDITED)
    assert run(folder, loops) == ("30", True)
    assert not loops.exists()
    (folder / "run.py").write_text(RUN)
    assert run(folder, loops) == ("25", True)
    assert run(folder, loops) == ("25", False)


def test_code_of_a_source_after_its_change_is_not_run(tmp_path):
    loops, folder = tmp_path / "loops", write_sources(tmp_path / "one")
    assert run(write_sources(tmp_path / "changed", parts=CHANGED_PARTS), loops) == ("25", True)
    (folder / "run.py").write_text(EDITED)
    assert run(folder, loops) == ("30", True)


@each("later, same", [(-3600, True), (-1, True), (3600, True), (None, False)])
def test_sources_of_another_clock_are_unchanged(later, same, tmp_path, monkeypatch):
    """The clock of a file server may be ahead."""
    source = tmp_path / "part.py"
    source.write_text("")
    now = time.time()
    monkeypatch.setattr(digest, "_began", now - 10 if later is None else now + 0.1)
    monkeypatch.setattr(digest.os, "stat", lambda _: SimpleNamespace(st_mtime=now + (later or 0), st_ctime=now - 100))
    assert digest._has_changed(str(source)) is not same


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path):
    (tmp_path / "file").write_text("")
    assert run(write_sources(tmp_path / "one"), tmp_path / "file") == ("30", True)
    assert run(tmp_path / "one", tmp_path / "file", NUMBA_DISABLE_JIT="1") == ("30", False)


def test_loops_of_the_package_are_used_until_a_source_changes(tmp_path):
    """They are made for a baseline, and found by any user whose processor is one of these."""
    if not baselines():
        pytest.skip("this processor has none of the baselines")
    name, features = baselines()[-1]
    first = write_sources(tmp_path / "one")
    (tmp_path / "shipped").mkdir()
    assert run(first, tmp_path / "unused", NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features) == ("30", True)
    assert not (tmp_path / "unused").exists()
    assert run(first, tmp_path / "loops") == ("30", False)
    assert not (tmp_path / "loops").exists()
    changed = write_sources(tmp_path / "changed", factors="FACTOR = 4\n")
    assert run(changed, tmp_path / "loops") == ("40", True)
    assert len(list((tmp_path / "loops").iterdir())) == len(list((tmp_path / "shipped").iterdir())) == 1


def test_baselines_are_those_whose_features_are_there(monkeypatch):
    below = ["avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"]
    above = ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    for there, names in ((below + above, ["x86-64-v4", "x86-64-v3"]), (below, ["x86-64-v3"]), (above, []), ([], [])):
        monkeypatch.setattr(processors, "_features", lambda there=there: frozenset(there))
        assert [baseline.name for baseline in processors.baselines()] == names
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert processors.baselines() == (processors.GENERIC,)


@pytest.fixture
def compiled_names(monkeypatch, tmp_path):
    """Names of the loops that are compiled from now on; none are kept from before."""
    names: list[str] = []

    def notice(name):
        names.append(name)
        return contextlib.nullcontext()

    monkeypatch.setenv("HYDRANOC_LOOPS", str(tmp_path / "loops"))
    monkeypatch.setattr(notices, "_notice", notice)
    return names


class Inner(NamedTuple):
    words: np.ndarray
    scale: int | float


class Outer(NamedTuple):
    inner: Inner | None
    records: np.ndarray
    flag: bool


RECORD = np.dtype({"names": ["wide", "narrow"], "formats": [np.int64, np.uint8], "offsets": [0, 8], "itemsize": 16})


def fields_of(outer, found, position):
    """Write what a loop sees of its arguments."""
    row = 0
    for record in range(len(outer.records)):
        found[row] = outer.records[record].wide + outer.records[record].narrow
        outer.records[record].narrow = 7
        row += 1
    for line in range(outer.inner.words.shape[0]):
        for column in range(outer.inner.words.shape[1]):
            found[row] = outer.inner.words[line, column] * outer.inner.scale
            row += 1
    found[row] = 1 if outer.flag else 0
    found[row + 1] = position


def outer(words, scale=2, flag=True):
    records = np.zeros(3, RECORD).view(np.recarray)
    records.wide, records.narrow = [1, 2, -(1 << 62)], [255, 0, 1]
    return Outer(Inner(words, scale), records, flag)


def test_loops_see_what_python_sees(compiled_names):
    loop = compiled_loop(fields_of)
    words = np.arange(12, dtype=np.int64).reshape(3, 4)
    frozen = words.copy()
    frozen.flags.writeable = False
    kinds = (words, words[1:], words[:0], words.T, words[:, ::2], words.astype(np.uint8), frozen)
    cases = [(words, 3, False), (words, 0.5, True), *((view, 2, True) for view in kinds)]
    for number, (view, scale, flag) in enumerate(cases):
        plain, found = outer(view, scale, flag), outer(view, scale, flag)
        results = np.zeros((2, 20), dtype=np.int64)
        fields_of(plain, results[0], number)
        assert loop(found, results[1], number) is None
        assert (results[0] == results[1]).all()
        assert (plain.records == found.records).all()
    assert compiled_names == ["fields_of"] * 6


def sum_of(pair, add):
    total = add
    for number in pair.words:
        total += number
    return total


def test_arrays_in_the_place_of_others_are_not_taken_for_them(compiled_names):
    loop = compiled_loop(sum_of)
    for number in range(300):
        pair = Inner(np.full(number % 7 + 1, number), number % 2)
        assert loop(pair, 5) == loop(pair, 5) == 5 + number * (number % 7 + 1)
        del pair
    gc.collect()
    assert sum(len(layout._blocks) for layout in loop._layouts[0]) == 0
    assert compiled_names == ["sum_of"]


def test_layouts_tell_types_apart():
    words = np.zeros(3, dtype=np.int64)
    layout = Layout(Outer(None, words, True))
    assert layout.block(Outer(None, words, False)) is not None
    for other in (
        Outer(Inner(words, 1), words, True),
        Outer(None, words, 1),
        Outer(None, None, True),
        Inner(words, 1),
        3,
    ):
        assert layout.block(other) is None
    for other in (words.astype(np.int32), words.reshape(1, 3), words[::2]):
        assert layout.block(Outer(None, other, True)) is None
    with pytest.raises(ArgumentError, match="named tuples of both, not list"):
        Layout([1, 2])
    with pytest.raises(ArgumentError, match="not tuple"):
        Layout((1, words))


def test_an_exception_in_a_loop_is_one_in_python(compiled_names):
    def fail(number):
        if number > 3:
            raise ValueError("more than 3")
        return number

    loop = compiled_loop(fail)
    assert loop(3) == 3
    with pytest.raises(RuntimeError, match="fail has failed; NUMBA_DISABLE_JIT=1 shows where"):
        loop(4)
    assert len(compiled_names) == 1


class TestObjectFiles:
    """The loader for Linux on 64-bit x86; all other object files are left to LLVM."""

    @pytest.fixture
    def object_file(self, tmp_path, monkeypatch):
        """Return the object file of a loop with constants and a call of the C library."""
        monkeypatch.setenv("HYDRANOC_LOOPS", str(tmp_path))

        @compiled_loop
        def fill(numbers):
            for number in range(len(numbers)):
                numbers[number] = 0
            for number in range(len(numbers)):
                numbers[number] += int((number + 0.5) * 3.25)
            return len(numbers)

        assert fill(np.zeros(7, np.int64)) == 7
        (path,) = tmp_path.glob("*.o")
        content = read(path)
        assert content is not None
        return content

    @pytest.mark.skipif((sys.platform, platform.machine()) != ("linux", "x86_64"), reason="LLVM loads all of them")
    def test_code_is_loaded_as_by_llvm(self, object_file):
        found = []
        for load in (load_code, load_by_llvm):
            code = load(object_file, ENTRY)
            assert code is not None
            numbers = np.full(7, 9)
            layout = Layout(numbers)
            address, _words = layout.block(numbers)
            call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(code.address)
            result = ctypes.c_int64()
            assert call((ctypes.c_void_p * 1)(address), ctypes.byref(result)) == VALUE
            found.append((result.value, numbers.tolist()))
        assert found == [(7, [1, 4, 8, 11, 14, 17, 21])] * 2

    def test_what_it_does_not_know_is_left_to_llvm(self, object_file, monkeypatch):
        unknown = [b"", object_file[:100], object_file[:18] + b"\xb7" + object_file[19:]]  # an ARM processor's
        assert [load_code(content, ENTRY) for content in unknown] == [None] * 3
        assert load_code(object_file, "no_such_symbol") is None
        monkeypatch.setattr(object_code, "ADDRESS", 2)  # so that those in the file differ
        assert load_code(object_file, ENTRY) is None


# Compilation with less work than Numba's own: in use with this version of Numba, and not needed.

WITHOUT_HOOKS = "import sys; sys.modules['sim_model.loops.lean'] = None"
SUM_OF_FIELDS = """
from types import SimpleNamespace
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


# Operations on vectors, and on lists, are the same with and without Numba.

ROWS = 13
INPUTS = 7


@pytest.mark.parametrize(("width", "dimensions"), [(8, 6), (16, 3)])
def test_compiled_operations_are_those_of_python(width, dimensions):
    names = {**memory_operations(width, INPUTS), **word_operations(width), **move_operations(width)}
    vector_at, put, splat, gathered = (names[name] for name in ("vector_at", "put", "splat", "gathered"))
    any_of, places_of, count_all = (names[name] for name in ("any_of", "places_of", "count_all"))
    filled, lowest_of, above = (names[name] for name in ("filled", "lowest_of", "above"))
    alone = names["alone"]
    crossed, before, behind = (names[name] for name in ("crossed", "before", "behind"))
    exchanged, rotated = cube_operations(width, dimensions)["exchanged"], turn_operations(width)["rotated"]

    def work(row, found, number, turns):
        one, other = vector_at(row, 0), vector_at(row, width + 1)
        put(found, 0, one & ~other | (one ^ other))
        put(found, width, crossed(one, number))
        put(found, 2 * width, before(other))
        put(found, 3 * width, behind(other))
        put(found, 4 * width, exchanged(one))
        put(found, 5 * width, gathered(row, 0))
        put(found, 6 * width, splat(row[number]))
        put(found, 7 * width, rotated(one, vector_at(turns, 0)))
        put(found, 8 * width, filled(other))
        put(found, 9 * width, lowest_of(other))
        put(found, 10 * width, above(lowest_of(other)))
        put(found, 11 * width, alone(row[number], number))
        last = 12 * width
        found[last], found[last + 1], found[last + 2] = any_of(other), places_of(other), count_all(one)

    random, compiled = np.random.default_rng(3), compiled_loop(work)
    for number in range(width):
        row = random.integers(-(2**63), 2**63 - 1, width * width, dtype=np.int64)
        row[random.integers(len(row), size=width * width // 3)] = 0
        turns = random.permutation([0, 1, 31, 32, 62, 63, *range(2, width - 4)])
        expected, found = np.zeros((2, ROWS * width), dtype=np.int64)
        work(row, expected, number, turns)
        compiled(row, found, number, turns)
        assert (found == expected).all()


def test_numbers_are_entered_in_lists():
    def fill(numbers, position, number):
        enter(numbers[1], position, number)

    plain, found = np.zeros((2, 2, 4), dtype=np.uint32)
    for position, number in ((0, 7), (3, 2**32 - 1)):
        fill(plain, position, number)
        compiled_loop(fill)(found, position, number)
    assert plain.tolist() == found.tolist() == [[0, 0, 0, 0], [7, 0, 0, 2**32 - 1]]


def test_vectors_lie_in_lines_of_the_cache():
    """With vectors that lie in two, runs took a seventh longer, and no result shows it."""
    assert all(aligned_words(rows, 24).ctypes.data % 64 == 0 for rows in (1, 2, 5) for _ in range(20))
    family = simulate(torus_model(3, 3, 2), []).router_state
    assert all(words.ctypes.data % 64 == 0 for words in (family.words, family.target_masks, family.port_vcs))
    at = PlaneLayout(5, 3, 4, find_route)
    sizes = ("PORTS", "HOST", "VCS", "ROOM", "MIN_DEPTH", "CREDIT_BITS", "CHANNELS", "FIRST_HOST", "HOST_OUTPUT")
    offsets = {name: value for name, value in vars(at).items() if name.isupper() and name not in sizes}
    assert {name: offset for name, offset in offsets.items() if offset % at.WIDTH} == {}
