"""The part of test selection that pytest runs: options, kept verdicts, and the summary of tests that were not run."""

import hashlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from tests.selection import recorder

ROOT = Path(recorder.ROOT)
KEPT = "selection/verdicts"
"""Key in pytest's own cache, so ``--cache-clear`` forgets the verdicts."""
CHILD_PATH = str(Path(__file__).parent / "child")
SLOW_REASON, LATE_REASON = "slow: run with --slow", "no time left"
TOOLS = {"require_tool", "require_program", "proof_tools"}
"""Fixtures of tests that run simulators, provers or browsers."""


def add_options(parser: pytest.Parser) -> None:
    """Add the options of test selection."""
    group = parser.getgroup("selection", "tests by what has changed")
    group.addoption("--changed", action="store_true", help="sentinels, and files with a change in what they use")
    group.addoption("--without-tools", action="store_true", help="no tests that need simulators, provers or browsers")
    text = "CPU time of --changed, the cheapest files first; after as long, no more tests of files without a known cost"
    group.addoption("--within", type=float, metavar="SECONDS", help=text)


@cache
def sources() -> dict[str, str]:
    """Return the digest of each file of the checkout, and of the names in each folder, as this process first saw it."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in recorder.GENERATED and name[0] != ".")
        inside = os.path.relpath(folder, ROOT)
        prefix = "" if inside == "." else inside + os.sep
        found[prefix] = _digest("\n".join([*folders, *sorted(files)]).encode())
        found.update({prefix + name: _digest(Path(folder, name).read_bytes()) for name in files})
    return found


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()


class Selection:
    """Decides what runs, and keeps verdicts of whole test files.

    A file's verdict is kept if all of its tests ran and none failed. It holds as long as nothing has changed that its
    tests used: modules with what their top levels import, data, names in listed folders.
    """

    def __init__(self, config: pytest.Config):
        self.config, self.worker = config, hasattr(config, "workerinput")
        self.changed_only, self.slow = config.getoption("--changed"), config.getoption("--slow")
        self.sources = sources()
        self.environment = _digest(sys.version.encode() + (ROOT / "requirements.lock").read_bytes())
        kept = config.cache.get(KEPT, {})
        self.kept = kept.get("files", {}) if kept.get("environment") == self.environment else {}
        self.unchanged = {file for file, verdict in self.kept.items() if self._holds(verdict)}
        self.begin, self.limit = time.monotonic(), config.getoption("--within")
        self.postponed = self._beyond_time()
        # what this run finds, by test file; workers send theirs to the process that starts them
        self.expected, self.seconds, self.sentinels = Counter(), Counter(), Counter()
        self.incomplete: set[str] = set()
        self.finished, self.failed, self.edges = Counter(), set(), defaultdict(set)
        if not self.worker:
            os.environ[recorder.FOLDER_VARIABLE] = tempfile.mkdtemp(prefix="test-uses-")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [CHILD_PATH, os.environ.get("PYTHONPATH")]))

    def _holds(self, verdict) -> bool:
        return verdict["digest"] == self._state(verdict["uses"]) and (verdict["slow"] or not self.slow)

    def _state(self, uses) -> str:
        return _digest(json.dumps([self.sources.get(path) for path in uses]).encode())

    def _beyond_time(self) -> set[str]:
        """Return changed files for which no time is left, the dearest of them."""
        changed = sorted(self.kept.keys() - self.unchanged, key=lambda file: self.kept[file]["seconds"])
        total, beyond = 0.0, set()
        for file in changed:
            total += self.kept[file]["seconds"]
            if self.limit is not None and total > self.limit:
                beyond.add(file)
        return beyond

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Do not import files that would add no test."""
        file = recorder.relative(str(collection_path))
        if not self.changed_only or file not in self.unchanged | self.postponed:
            return None
        return True if file in self.postponed or not self.kept[file]["sentinels"] else None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector):
        """Attribute what a test file opens while it is imported to this file."""
        if isinstance(collector, pytest.Module):
            recorder.set_owner(_file_of(collector))
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]):
        """Count the tests of each file before any option leaves some out."""
        self.expected.update(map(_file_of, items))
        self.sentinels.update(_file_of(item) for item in items if item.get_closest_marker("sentinel"))
        left_out = [item for item in items if not self._wanted(item)]
        if left_out:
            items[:] = [item for item in items if self._wanted(item)]
            self.config.hook.pytest_deselected(items=left_out)
        return (yield)

    def _wanted(self, item: pytest.Item) -> bool:
        if self.config.getoption("--without-tools") and TOOLS & set(getattr(item, "fixturenames", ())):
            return False
        return (
            not self.changed_only or _file_of(item) not in self.unchanged or bool(item.get_closest_marker("sentinel"))
        )

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Note files whose verdict would not be that of all tests."""
        self.incomplete.update(map(_file_of, items))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        """Attribute what runs to the test's file, and measure it."""
        file = _file_of(item)
        recorder.set_owner(file)
        before = _cpu_seconds()
        outcome = yield
        self.seconds[file] += _cpu_seconds() - before
        return outcome

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin nothing of unknown cost when the time is over."""
        if self.limit is not None and _file_of(item) not in self.kept and time.monotonic() - self.begin > self.limit:
            pytest.skip(LATE_REASON)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note failures, and tests that a missing tool left out."""
        file = report.nodeid.split("::")[0]
        self.finished[file] += report.when == "teardown"
        if report.failed:
            self.failed.add(file)
        elif report.skipped and not (reason := str(report.longrepr).rstrip("')")).endswith(SLOW_REASON):
            self.incomplete.add(file)
            if reason.endswith(LATE_REASON):
                self.postponed.add(file)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """Take over what a worker has found."""
        found = getattr(node, "workeroutput", {}).get("selection")
        if found is None:
            return
        self.expected, self.sentinels = Counter(found["expected"]), Counter(found["sentinels"])
        self.seconds.update(found["seconds"])
        self.incomplete.update(found["incomplete"])
        for module, uses in found["edges"].items():
            self.edges[module].update(uses)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what this worker has found; or keep the verdicts of all."""
        if self.changed_only and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        edges = {module: sorted(uses) for module, uses in recorder.edges.items()}
        if self.worker:
            names = ("expected", "sentinels", "seconds")
            found = {name: dict(getattr(self, name)) for name in names}
            self.config.workeroutput["selection"] = {**found, "incomplete": sorted(self.incomplete), "edges": edges}
            return
        for module, uses in edges.items():
            self.edges[module].update(uses)
        files = {
            file: verdict for file, verdict in self.kept.items() if file not in self.failed and file in self.sources
        }
        files.update({file: self._verdict(file) for file in self._whole_files()})
        self.config.cache.set(KEPT, {"environment": self.environment, "files": files})
        shutil.rmtree(os.environ[recorder.FOLDER_VARIABLE], ignore_errors=True)

    def _whole_files(self) -> set[str]:
        if any("::" in argument for argument in self.config.args):
            return set()
        whole = {file for file, tests in self.expected.items() if self.finished[file] == tests}
        return whole - self.incomplete - self.failed

    def _verdict(self, file: str) -> dict:
        recorded = Path(os.environ[recorder.FOLDER_VARIABLE], file.replace(os.sep, "!"))
        uses = set(recorded.read_text().splitlines()) if recorded.exists() else set()
        folders = [ROOT / parent for parent in Path(file).parents]
        uses |= {file, *(inside for folder in folders if (inside := recorder.relative(str(folder / "conftest.py"))))}
        left = list(uses)
        while left:
            new = self.edges.get(left.pop(), set()) - uses
            uses |= new
            left += new
        known = sorted(uses & self.sources.keys())
        seconds, sentinels = max(0.01, round(self.seconds[file], 2)), self.sentinels[file]
        return {
            "uses": known,
            "digest": self._state(known),
            "seconds": seconds,
            "sentinels": sentinels,
            "slow": self.slow,
        }

    def pytest_terminal_summary(self, terminalreporter) -> None:
        """Say what was not run, and why."""
        if not self.changed_only:
            return
        terminalreporter.section("not run")
        kept = [file for file in self.unchanged if file in self.kept and file in self.sources]
        saved = sum(self.kept[file]["seconds"] for file in kept)
        lines = [f"{len(kept)} test files passed with what they use as it is now ({saved:,.0f} s of CPU time)"]
        if self.postponed:
            lines.append(f"changed files that need more time: {len(self.postponed)} (make check)")
        if self.config.getoption("--without-tools"):
            lines.append("tests that need simulators, provers or a browser (make check)")
        if not self.slow:
            lines.append("tests marked slow (make nightly)")
        for line in lines:
            terminalreporter.line(line)


def _file_of(node: pytest.Item | pytest.Collector) -> str:
    return node.nodeid.split("::")[0]


def _cpu_seconds() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
