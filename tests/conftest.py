"""Options and rules for all tests."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from tests.selection import recorder

recorder.install(graph=True)  # before anything of the project is imported

from sim_model.loops.folders import loop_folder  # noqa: E402
from tests.selection.plugin import SLOW_REASON, Selection, add_options  # noqa: E402

NIGHTLY = Path(__file__).with_name("nightly.txt")
os.environ["HYDRANOC_LOOPS"] = str(loop_folder())  # also for tests with a cache folder of their own
os.environ["HYDRANOC_DAEMON"] = "off"
os.environ["HYDRANOC_PROGRESS"] = "off"  # on a slow machine lines of progress would mix with the compared ones


def pytest_addoption(parser):
    add_options(parser)
    parser.addoption("--slow", action="store_true", help="run also the tests that take minutes")
    parser.addoption("--fuzz-cases", type=int, help="cases of each format in tests/fuzz; default 20, or 10,000")


def pytest_configure(config):
    if config.pluginmanager.hasplugin("cacheprovider"):
        config.pluginmanager.register(Selection(config), "selection")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    lines = NIGHTLY.read_text().splitlines()
    nightly, found, files = {line for line in lines if not line.startswith("#")}, set(), set()
    for item in items:
        listed = nightly & {item.nodeid, item.nodeid.partition("[")[0]}
        if listed and item.get_closest_marker("sentinel"):
            raise pytest.UsageError(f"tests/nightly.txt: {item.nodeid} is a sentinel; it must run by day")
        if "slow" in item.keywords or listed:
            item.add_marker(pytest.mark.skip(reason=SLOW_REASON))
        found |= listed
        files.add(item.nodeid.partition("::")[0])
    whole = not config.getoption("--changed") and not any("::" in argument for argument in config.args)
    if gone := [line for line in nightly - found if whole and line.partition("::")[0] in files]:
        raise pytest.UsageError(f"tests/nightly.txt: there is no test {min(gone)}")


@pytest.fixture(scope="session")
def require_tool():
    """Finds a tool; without it a test is skipped on a laptop and fails in CI."""
    from hydranoc.lockstep.tools import ToolMissing, find_tool

    def require(name: str):
        try:
            return find_tool(name)
        except ToolMissing as error:
            _missing(str(error))

    return require


@pytest.fixture(scope="session")
def require_package():
    """Looks for a Python package that only tests use; without it a test is skipped on a laptop and fails in CI."""

    def require(name: str):
        if importlib.util.find_spec(name) is None:
            _missing(f"{name} was not found: pip install {name}")

    return require


@pytest.fixture(scope="session")
def require_program():
    """Finds a program that only tests use; without it a test is skipped on a laptop and fails in CI."""

    def require(*names: str) -> str:
        found = next(filter(None, map(shutil.which, names)), None)
        if found is None:
            _missing(f"{names[0]} was not found: apt-get install {names[0]}")
        return str(found)

    return require


def _missing(message: str):
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)
