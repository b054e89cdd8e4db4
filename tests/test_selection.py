"""Test selection: a file runs again if something that it used has changed, and only then."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FILES = {
    "requirements.lock": "",
    "pyproject.toml": "[tool.pytest.ini_options]\nmarkers = ['slow', 'sentinel']\n",
    "product/__init__.py": "",
    "product/top.py": "LIMIT = 1\n",
    "product/user.py": "from product.top import LIMIT\n\ndef limit():\n    return LIMIT\n",
    "product/lazy.py": "VALUE = 1\n",
    "product/entry.py": "def value():\n    from product.lazy import VALUE\n    return VALUE\n",
    "product/alone.py": "",
    "data/table.csv": "1\n",
    "tests/__init__.py": "",
    "tests/conftest.py": """
from tests.selection import recorder
recorder.install(graph=True)
import pytest
from tests.selection.plugin import Selection, add_options

def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true")
    add_options(parser)

def pytest_configure(config):
    config.pluginmanager.register(Selection(config), "selection")

@pytest.fixture
def require_tool():
    return None
""",
    "tests/test_top.py": "from product.user import limit\n\ndef test_it():\n    assert limit()\n",
    "tests/test_lazy.py": "from product.entry import value\n\ndef test_it():\n    assert value()\n",
    "tests/test_data.py": """
from pathlib import Path

def test_it():
    assert Path(__file__).parent.parent.joinpath("data/table.csv").read_text()
""",
    "tests/test_folder.py": """
from pathlib import Path

def test_it():
    assert list(Path(__file__).parent.parent.joinpath("data").iterdir())
""",
    "tests/test_child.py": """
import subprocess, sys

def test_it():
    subprocess.run([sys.executable, "-c", "from product.entry import value; value(); sum(range(10**7))"], check=True)
""",
    "tests/test_fork.py": """
import os

def test_it():
    child = os.fork()
    if not child:
        from product.entry import value
        value()
        os._exit(0)
    os.waitpid(child, 0)
""",
    "tests/test_sentinel.py": """
import pytest

@pytest.mark.sentinel
def test_always():
    pass

def test_other(require_tool):
    pass
""",
}
NAMES = {re.sub(r"tests/test_(\w+)\.py", r"\1", name) for name in FILES if "/test_" in name}


@pytest.fixture(scope="module")
def passed(tmp_path_factory):
    """A checkout whose tests have all passed, on two workers."""
    root = tmp_path_factory.mktemp("checkout")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    shutil.copytree(TESTS / "selection", root / "tests" / "selection", ignore=shutil.ignore_patterns("__pycache__"))
    assert run(root, "-p", "xdist", "-n2") == NAMES
    return root


@pytest.fixture
def checkout(passed, tmp_path):
    return Path(shutil.copytree(passed, tmp_path / "checkout"))


def run(root: Path, *options: str, code: int = 0) -> set[str]:
    """Return the test files of which a test ran."""
    command = [sys.executable, "-m", "pytest", "-v", *options]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, env=environment)
    assert answer.returncode == code, answer.stdout + answer.stderr
    run.output = answer.stdout
    pairs = re.findall(r"test_(\w+)\.py::\w+ (?:PASSED|FAILED)|(?:PASSED|FAILED) tests/test_(\w+)\.py", run.output)
    return {name for pair in pairs for name in pair if name}


USERS = {
    "product/top.py": {"top"},
    "product/lazy.py": {"lazy", "child", "fork"},
    "product/alone.py": set(),
    "data/table.csv": {"data"},
    "data/new.csv": {"folder"},
    "tests/test_top.py": {"top"},
    "tests/conftest.py": NAMES,
    "requirements.lock": NAMES,
}


def test_files_that_used_what_has_changed_run_again(checkout):
    ran = {"": run(checkout, "--changed")}
    assert "7 test files passed with what they use as it is now" in run.output
    assert run(checkout, "--changed", "tests/test_top.py") == set(), "nothing to run is no error"
    for changed in USERS:
        with (checkout / changed).open("a") as file:
            file.write("\n")
        ran[changed] = run(checkout, "--changed")
    assert ran == {changed: users | {"sentinel"} for changed, users in {"": set(), **USERS}.items()}


def test_a_failure_is_not_kept(checkout):
    (checkout / "product" / "top.py").write_text("LIMIT = 0\n")
    for _ in range(2):
        assert run(checkout, "--changed", code=1) == {"top", "sentinel"}


def test_a_part_of_a_file_is_no_verdict(checkout):
    with (checkout / "tests" / "test_sentinel.py").open("a") as file:
        file.write("\n")
    run(checkout, "-k", "test_always")
    run(checkout, "tests/test_sentinel.py::test_always")
    run(checkout, "--changed", "--without-tools")
    assert "2 passed" not in run.output
    run(checkout, "--changed")
    assert "2 passed" in run.output


def test_time_is_spent_on_the_cheapest_files(checkout):
    with (checkout / "product" / "lazy.py").open("a") as file:
        file.write("\n")
    assert run(checkout, "--changed", "--within", "0.1") == {"lazy", "fork", "sentinel"}
    assert "changed files that need more time: 1 (make check)" in run.output


def test_nothing_of_unknown_cost_begins_when_the_time_is_over(checkout):
    shutil.rmtree(checkout / ".pytest_cache")
    assert run(checkout, "--changed", "--within", "1e-9") == set()
    assert f"changed files that need more time: {len(NAMES)} (make check)" in run.output
    assert run(checkout, "--changed") == NAMES
