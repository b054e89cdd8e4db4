"""The layering: allowed imports, no cycles between files, no imports between families."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

from sim_model.loops.digest import COMPILER_FILES

ROOT = Path(__file__).parent.parent
STANDARD_IN_LAYERS = {
    "topology": {"numpy", "networkx"},
    "sim_model": {"topology", "numpy", "numba", "llvmlite", "scipy", "pandas"},  # pandas: only for Results.to_pandas
    "rtl": {"topology", "amaranth"},
    "tb": {"topology", "sim_model", "cocotb", "cocotbext", "numpy"},
    "fpga": {"topology", "rtl", "amaranth", "amaranth_boards"},
}
FAMILIES = tuple(
    path.name for path in sorted((ROOT / "hydranoc" / "families").iterdir()) if (path / "family.py").exists()
)
LAYERS = (*STANDARD_IN_LAYERS, "hydranoc")
ROOMS = {
    room: set(below.split())
    for room, below in {
        "errors": "",
        "exit_codes": "",
        "environment": "",
        "daemon": "exit_codes environment",
        "locks": "",
        "replay": "",
        "certificates": "",
        "reports": "errors locks replay",
        "config": "errors",
        "measurement": "",
        "studies": "measurement reports",
        "families": "errors config",
        "pictures": "families studies replay",
        "lockstep": "errors locks reports",
        "design": "errors certificates config families lockstep measurement pictures replay reports",
        "api": "config families design",
        "sweeps": "errors config families measurement studies reports design api",
        "surveys": "measurement studies reports design api",
        "report_page": "errors config families replay pictures studies reports design sweeps",
        "fpga": "errors config design lockstep reports",
        "benches": "design",
        "verbs": (
            "errors benches certificates config daemon families studies pictures lockstep reports design api "
            "fpga measurement sweeps surveys replay report_page"
        ),
        "command": "errors exit_codes reports verbs",
        "cli": "exit_codes environment command daemon",
        "__init__": "api design errors sweeps",
        "__main__": "cli",
    }.items()
}
"""Rooms of ``hydranoc`` and those below them that each imports; files of the package itself are rooms of their own."""
MODEL_ROOMS = {
    "loops": set(),
    "messages": {"loops"},
    "statistics": set(),
    "engines": {"loops", "messages"},
    "collectives": set(),
    "programs": {"collectives", "messages"},
    "collective_plane": {"engines", "loops", "messages"},
    "axi4": {"engines", "loops", "messages"},
    "traffic": {"engines", "messages"},
    "routed": {"engines", "messages"},
    "vc": {"engines", "loops", "messages"},
}
"""Rooms of ``sim_model`` that families share, and those below each."""
HARDWARE_ROOMS = {
    "version": set(),
    "parts": set(),
    "generator": {"parts", "version"},
    "routed": {"generator", "parts"},
    "vc": {"generator", "parts"},
    "endpoints": {"generator", "parts"},
    "registers": {"generator", "parts", "version"},
    "collectives": {"generator", "parts", "registers", "version"},
    "axi4": {"endpoints", "generator", "parts"},
}
"""Rooms of ``rtl`` that families share, and those below each."""


@cache
def modules() -> dict[str, Path]:
    found = {}
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def imports_of(path: Path, *, top_level_only: bool = False) -> set[str]:
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level_only else ast.walk(tree)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert all(alias.name != "*" for alias in node.names), f"{path}: star import"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def third_party_and_layers(names: set[str]) -> set[str]:
    import sys

    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names)


@pytest.mark.parametrize("layer", STANDARD_IN_LAYERS)
def test_layers_import_only_what_they_may(layer):
    for name, path in modules().items():
        if name.split(".")[0] == layer:
            used = third_party_and_layers(imports_of(path)) - {layer}
            assert used <= STANDARD_IN_LAYERS[layer], f"{path} imports {used - STANDARD_IN_LAYERS[layer]}"


def test_families_never_import_each_other():
    for name, path in modules().items():
        parts = name.split(".")
        if parts[0] == "hydranoc" or len(parts) < 2:
            continue
        for used in imports_of(path):
            family = next((part for part in used.split(".")[1:2] if part in FAMILIES), None)
            assert family is None or family == parts[1], f"{path} imports {used}"


def test_no_cycles_between_files():
    known = modules()
    graph = nx.DiGraph()
    for name, path in known.items():
        for used in imports_of(path, top_level_only=True):
            target = used if used in known else used.rpartition(".")[0]
            if target in known and target != name:
                graph.add_edge(name, target)
    cycles = list(nx.simple_cycles(graph))
    assert cycles == []


def room_of(name: str) -> str:
    return next(iter(name.split(".")[1:]), "__init__")


def with_families(rooms: dict[str, set[str]]) -> dict[str, set[str]]:
    return {**rooms, **{family: set(rooms) for family in FAMILIES}}


@pytest.mark.parametrize(
    ("layer", "rooms"),
    [("sim_model", with_families(MODEL_ROOMS)), ("rtl", with_families(HARDWARE_ROOMS)), ("hydranoc", ROOMS)],
)
def test_rooms_import_only_from_the_rooms_below(layer, rooms):
    """No room is above itself, and no file lies outside of the rooms."""
    known = {name: path for name, path in modules().items() if name.split(".")[0] == layer}
    found = {room_of(name) for name in known} - {"__init__"}
    assert found <= set(rooms)
    assert set(rooms) - found <= {"__init__", *FAMILIES}  # a new family begins with its tables
    order = list(rooms)
    for room, below in rooms.items():
        assert all(order.index(lower) < order.index(room) for lower in below)
    for name, path in known.items():
        for used in imports_of(path):
            if used.startswith(f"{layer}.") and used != "hydranoc.__version__" and room_of(used) != room_of(name):
                assert room_of(used) in rooms[room_of(name)], f"{path} imports {used}"


def test_faster_engines_are_optional():
    """Families offer the engines of worms and planes; nothing else knows of them."""
    faster = ("sim_model.engines.worm", "sim_model.engines.plane")
    for name, path in modules().items():
        if name.startswith("sim_model.") and not name.startswith(faster) and room_of(name) not in FAMILIES:
            assert not [used for used in imports_of(path) if used.startswith(faster)], name


def test_families_in_the_front_door_never_import_each_other():
    for name, path in modules().items():
        parts = name.split(".")
        if parts[0] != "hydranoc" or len(parts) < 3 or parts[2] not in FAMILIES:
            continue
        for used in imports_of(path):
            other = set(used.split(".")[:3]) & set(FAMILIES)
            assert other <= {parts[2]}, f"{path} imports {used}"


def test_every_file_has_a_docstring():
    for name, path in modules().items():
        assert ast.get_docstring(ast.parse(path.read_text())), f"{name} says nothing about itself"


IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(sorted({"numba", "llvmlite", "scipy.stats"} & sys.modules.keys()))
"""


def test_nothing_but_the_compiler_loads_numba():
    """A warm run would take seconds longer, and no result would show it."""
    paths = sorted(path for path in (ROOT / "sim_model").rglob("*.py") if str(path) not in COMPILER_FILES)
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    assert len(names) > 100
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL, *names], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n", done.stderr
