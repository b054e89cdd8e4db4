"""Records what a process uses of the checkout: imported modules, opened files, listed folders.

Runs in the process of pytest and, by ``child/sitecustomize.py``, in each Python process that a test starts, also inside
simulators. Imports at the top of a module are edges of a graph, because they run once per process; imports inside
functions belong to the test file that runs. Standard library alone: it is loaded before anything else.
"""

import builtins
import importlib
import os
import sys
from collections import defaultdict

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
FOLDER_VARIABLE, OWNER_VARIABLE = "HYDRANOC_TEST_USES", "HYDRANOC_TEST_FILE"
GENERATED = {"results", "build", "dist", "__pycache__"}
LISTINGS = {"os.listdir", "os.scandir"}

edges: dict[str, set[str]] = defaultdict(set)
"""By module file: files that its top level imports or opens."""
_recorded: set[tuple[str, str]] = set()
_paths: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
_import, _import_module = builtins.__import__, importlib.import_module
_graph_process: int | None = None


def set_owner(test_file: str) -> None:
    """Attribute from now on to a test file, in this process and in those that it starts."""
    os.environ[OWNER_VARIABLE] = test_file


def relative(path: str) -> str | None:
    """Return a path of the checkout relative to it; None for others, and for what tools generate."""
    try:
        path = os.path.abspath(path)
    except OSError:  # a test has removed its working folder
        return None
    if not path.startswith(ROOT):
        return None
    inside = path[len(ROOT) :]
    parts = inside.split(os.sep)
    return None if any(part.startswith(".") or part in GENERATED for part in parts) else inside


def install(*, graph: bool = False) -> None:
    """Begin to record in this process and its forks; ``graph`` keeps imports of top levels apart, in this process."""
    global _graph_process
    _graph_process = os.getpid() if graph else None
    builtins.__import__ = _recorded_import
    importlib.import_module = _recorded_import_module
    sys.addaudithook(_audit)


def _recorded_import(name, globals=None, locals=None, fromlist=(), level=0):
    module = _import(name, globals, locals, fromlist, level)
    _add_import(name, tuple(fromlist or ()), globals or {})
    return module


def _recorded_import_module(name, package=None):
    module = _import_module(name, package)
    _add_import(module.__name__, (), sys._getframe(1).f_globals)
    return module


def _add_import(name: str, members: tuple[str, ...], importer: dict) -> None:
    paths = _paths.get((name, members))
    if paths is None:
        paths = _paths[name, members] = tuple(_module_paths(name, members))
    if paths:
        _add(paths, _initializing(importer))


def _module_paths(name: str, members: tuple[str, ...]):
    parts = name.split(".")
    parents = [".".join(parts[: n + 1]) for n in range(len(parts))]
    for full in [*parents, *(f"{name}.{member}" for member in members)]:
        file = getattr(sys.modules.get(full), "__file__", None)
        inside = relative(file) if file else None
        if inside:
            yield inside


def _initializing(importer: dict) -> str | None:
    """Return the file of a module whose top level is running."""
    if getattr(importer.get("__spec__"), "_initializing", False) and importer.get("__file__"):
        return relative(importer["__file__"])
    return None


def _add(paths, module: str | None) -> None:
    if module is not None and os.getpid() == _graph_process:
        edges[module].update(paths)
        return
    owner, folder = os.environ.get(OWNER_VARIABLE, ""), os.environ.get(FOLDER_VARIABLE, "")
    new = [path for path in paths if (owner, path) not in _recorded]
    if not new or not owner or not folder:
        return
    _recorded.update((owner, path) for path in new)
    # one write each: tests may kill a process at any time
    descriptor = os.open(os.path.join(folder, owner.replace(os.sep, "!")), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, "".join(f"{path}\n" for path in new).encode())
    finally:
        os.close(descriptor)


def _audit(event: str, arguments: tuple) -> None:
    if event != "open" and event not in LISTINGS:
        return
    path = arguments[0]
    if not isinstance(path, (str, os.PathLike)):
        return
    inside = relative(os.fsdecode(path))
    if inside is None:
        return
    frame, module = sys._getframe(1), None
    if frame.f_code.co_filename.startswith("<frozen importlib"):
        return  # a module, recorded as an import
    while frame is not None and module is None:
        module, frame = _initializing(frame.f_globals), frame.f_back
    _add([inside + (os.sep if event in LISTINGS else "")], module)
