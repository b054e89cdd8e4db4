"""The daemon: commands behave as without it, in the environment of their client."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from hydranoc.daemon.client import address

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the daemon needs Linux")
SMALL = (
    "network: {family: torus, flit_bits: 16, topology: {kind: mesh, rows: 3, columns: 3}}\n"
    "traffic: {kind: random, cycles: 1000, messages_per_node_per_cycle: 0.01, flits: 4}\n"
)
LONG = SMALL.replace("1000", "1000000000").replace("0.01", "0.0002")


@pytest.fixture
def environment(tmp_path):
    """The environment of commands with a daemon of their own, which is ended after the test."""
    (tmp_path / "small.yaml").write_text(SMALL)
    (tmp_path / "long.yaml").write_text(LONG)
    own = {**os.environ, "HYDRANOC_DAEMON": f"test-{uuid.uuid4()}"}
    yield own
    _run(own, tmp_path, "daemon", "stop")


def _run(environment, folder, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "hydranoc", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


def _start(environment, folder):
    done = _run(environment, folder, "daemon", "start", "--idle", "5")
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[1])


def _figures(environment, folder):
    return json.loads(_run(environment, folder, "daemon", "status", "--json").stdout)


def _until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


COMMANDS = (
    ("--version",),
    ("check", "small.yaml"),
    ("check", "missing.yaml"),
    ("nothing",),
    ("model", "small.yaml", "-o", "out"),
    ("model", "small.yaml", "-o", "out", "--json"),
)


def test_commands_print_and_write_what_they_do_by_themselves(environment, tmp_path):
    alone = []
    for switch in ("off", environment["HYDRANOC_DAEMON"]):
        folder = tmp_path / f"folder-{switch}"
        folder.mkdir()
        (folder / "small.yaml").write_text(SMALL)
        chosen = {**environment, "HYDRANOC_DAEMON": switch}
        if switch != "off":
            _start(environment, tmp_path)
        ended = [_run(chosen, folder, *arguments, umask=0o027) for arguments in COMMANDS]
        seen = [(done.returncode, done.stdout, done.stderr) for done in ended]
        files = {path.name: (path.read_bytes(), path.stat().st_mode) for path in (folder / "out").iterdir()}
        alone.append((seen, files))
    assert alone[0] == alone[1]
    assert _figures(environment, tmp_path)["commands"] == len(COMMANDS)


def test_a_later_command_loads_next_to_nothing(environment, tmp_path):
    _start(environment, tmp_path)
    seconds = []
    for _ in range(4):
        before = _figures(environment, tmp_path)["cpu_seconds"]
        assert _run(environment, tmp_path, "model", "small.yaml", "-o", "out").returncode == 0
        _until(lambda: _figures(environment, tmp_path)["running"] == 0)
        seconds.append(_figures(environment, tmp_path)["cpu_seconds"] - before)
    assert seconds[-1] < seconds[0] / 2


@pytest.mark.slow
def test_a_later_command_finds_compiled_loops_in_memory(environment, tmp_path):
    """The first command compiles a loop, the second finds it kept, and the third needs no file."""
    loops = tmp_path / "loops"
    environment["HYDRANOC_LOOPS"] = str(loops)
    _start(environment, tmp_path)
    for _ in range(2):
        assert _run(environment, tmp_path, "model", "small.yaml", "-o", "out").returncode == 0
        assert len(list(loops.iterdir())) == 1
    _until(lambda: _figures(environment, tmp_path)["commands"] >= 2)  # it is notified before it serves the next command
    shutil.rmtree(loops)
    assert _run(environment, tmp_path, "model", "small.yaml", "-o", "out").returncode == 0
    assert not loops.exists()


@pytest.mark.slow
def test_loops_of_a_source_that_changed_are_kept(environment, tmp_path):
    """It has changed since the daemon began, but not since the worker has loaded it."""
    shutil.copytree(ROOT / "sim_model", tmp_path / "packages" / "sim_model", ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("hydranoc", "rtl", "topology"):
        (tmp_path / "packages" / name).symlink_to(ROOT / name)
    loops = tmp_path / "loops"
    own = {**environment, "PYTHONPATH": str(tmp_path / "packages"), "HYDRANOC_LOOPS": str(loops)}
    with contextlib.ExitStack() as stack:
        stack.callback(_run, own, tmp_path, "daemon", "stop")
        _start(own, tmp_path)
        other = SMALL.replace("torus", "spam").replace("rows: 3, columns: 3", "shape: [3, 3]")
        (tmp_path / "other.yaml").write_text(other)
        for count, name in enumerate(("other.yaml", "small.yaml"), 1):
            assert _run(own, tmp_path, "model", name, "-o", "out").returncode == 0
            assert len(list(loops.iterdir())) == count
            assert _figures(own, tmp_path)["commands"] == 2 * count - 1  # the status counts too
            state = tmp_path / "packages" / "sim_model" / "torus" / "state.py"
            state.write_text(state.read_text() + "\n")


def test_the_daemon_ends_when_it_is_idle(environment, tmp_path):
    process = int(_run(environment, tmp_path, "daemon", "start", "--idle", "0.005").stdout.split()[1])
    _until(lambda: not Path(f"/proc/{process}").exists())


def test_another_environment_of_python_is_not_served(environment, tmp_path):
    _start(environment, tmp_path)
    other = {**environment, "PYTHONHASHSEED": "1"}
    assert _run(other, tmp_path, "check", "small.yaml").returncode == 0
    assert _run(environment, tmp_path, "check", "small.yaml").returncode == 0
    assert _figures(environment, tmp_path)["commands"] == 1


def test_a_closed_stream_is_not_served(environment, tmp_path):
    _start(environment, tmp_path)
    words = [sys.executable, "-m", "hydranoc", "check", "small.yaml"]
    for stream in range(3):
        closed = {"preexec_fn": lambda stream=stream: os.close(stream)}
        assert subprocess.run(words, cwd=tmp_path, env=environment, check=False, timeout=60, **closed).returncode == 0
    assert _figures(environment, tmp_path)["commands"] == 0


def _long_run(environment, folder, **options):
    process = subprocess.Popen(
        [sys.executable, "-m", "hydranoc", "model", "long.yaml", "-o", "out"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    _until(lambda: list((folder / "out").glob(".hydranoc-*")))
    time.sleep(0.5)  # earlier steps are tested in tests/hydranoc/test_commands.py
    return process


def test_signals_end_the_command_as_they_do_by_itself(environment, tmp_path):
    _start(environment, tmp_path)
    for number in (signal.SIGINT, signal.SIGTERM):
        restore = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
        process = _long_run(environment, tmp_path, **restore)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, err.split()) == (130, "", ["interrupted"])
        assert not (tmp_path / "out").exists()


def test_a_worker_ends_with_its_client(environment, tmp_path):
    _start(environment, tmp_path)
    process = _long_run(environment, tmp_path)
    process.kill()
    process.wait()
    _until(lambda: _figures(environment, tmp_path)["running"] == 0)
    assert not (tmp_path / "out").exists()


def test_changed_sources_are_loaded_again(environment, tmp_path):
    shutil.copytree(ROOT / "rtl", tmp_path / "packages" / "rtl", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("hydranoc", "sim_model", "topology"):
        (tmp_path / "packages" / name).symlink_to(ROOT / name)
    own = {**environment, "PYTHONPATH": str(tmp_path / "packages")}
    with contextlib.ExitStack() as stack:
        stack.callback(_run, own, tmp_path, "daemon", "stop")
        _start(own, tmp_path)
        assert _run(own, tmp_path, "--version").stdout == _run(environment, tmp_path, "--version").stdout
        assert _figures(own, tmp_path)["commands"] >= 1  # the daemon has loaded what the command loaded
        version = tmp_path / "packages" / "rtl" / "version.py"
        version.write_text(version.read_text() + '\nVERSION = "9.9.9"\n')
        for _ in range(2):  # by the client itself, and by the daemon that has started again
            assert _run(own, tmp_path, "--version").stdout == "hydranoc 9.9.9\n"
        _until(lambda: _figures(own, tmp_path).get("commands") == 1)


PATTERN = "def go(network, source, generator):\n    return (source + {shift}) % len(network.processors)\n"


def _result(environment, folder):
    done = _run(environment, folder, "model", "small.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    return (folder / "out" / "messages.csv").read_text()


@pytest.mark.parametrize("content", [PATTERN, "from helper import go\n"])
def test_a_changed_module_of_the_user_is_loaded_again(content, environment, tmp_path):
    """The pattern's own module changes, and then one that it imports."""
    (tmp_path / "small.yaml").write_text(SMALL.replace("random,", "random, pattern: 'own:go',"))
    environment["PYTHONPATH"] = str(tmp_path)
    changed = tmp_path / ("own.py" if content == PATTERN else "helper.py")
    (tmp_path / "own.py").write_text(content.format(shift=1))
    _start(environment, tmp_path)
    for shift in (1, 2):
        changed.write_text(PATTERN.format(shift=shift))
        alone = _result({**environment, "HYDRANOC_DAEMON": "off"}, tmp_path)
        for _ in range(3):
            assert _result(environment, tmp_path) == alone
    assert _figures(environment, tmp_path)["commands"] >= 3


def test_a_module_of_the_user_sees_the_environment_of_its_command(environment, tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL.replace("random,", "random, pattern: 'own:go',"))
    environment["PYTHONPATH"] = str(tmp_path)
    reading = "import os\nSHIFT = int(os.environ['SHIFT'])\n"
    (tmp_path / "own.py").write_text(reading + PATTERN.format(shift="SHIFT"))
    _start({**environment, "SHIFT": "1"}, tmp_path)
    for shift in ("1", "2", "1"):
        given = {**environment, "SHIFT": shift}
        assert _result(given, tmp_path) == _result({**given, "HYDRANOC_DAEMON": "off"}, tmp_path)
    assert _figures(environment, tmp_path)["commands"] == 3


def test_modules_are_found_as_without_the_daemon(environment, tmp_path):
    """The daemon has left the working folder, which Python does not search without a relative path."""
    (tmp_path / "small.yaml").write_text(SMALL.replace("random,", "random, pattern: 'own:go',"))
    (tmp_path / "own.py").write_text(PATTERN.format(shift=1))
    environment.pop("PYTHONPATH", None)
    for path in ({}, {"PYTHONPATH": "."}):
        given = {**environment, **path}
        _start(given, tmp_path)
        alone = _run({**given, "HYDRANOC_DAEMON": "off"}, tmp_path, "model", "small.yaml", "-o", "out")
        done = _run(given, tmp_path, "model", "small.yaml", "-o", "out")
        assert (done.returncode, done.stderr) == (alone.returncode, alone.stderr)
        assert done.returncode == (0 if path else 2)
        _run(given, tmp_path, "daemon", "stop")


def test_times_are_of_the_client_s_zone(environment, tmp_path):
    environment["HYDRANOC_CACHE"] = str(tmp_path / "cache")
    (tmp_path / "cache" / "icarus-0").mkdir(parents=True)
    os.utime(tmp_path / "cache" / "icarus-0", (0, 0))
    _start(environment, tmp_path)
    for zone, hour in (("UTC", "00:00"), ("XYZ-5", "05:00"), ("XYZ-7", "07:00")):
        assert f"1970-01-01 {hour}" in _run({**environment, "TZ": zone}, tmp_path, "cache").stdout
    assert _figures(environment, tmp_path)["commands"] == 3


def test_another_user_s_socket_is_not_trusted(monkeypatch):
    import socket

    from hydranoc.daemon import client

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        monkeypatch.setenv("HYDRANOC_DAEMON", f"test-{uuid.uuid4()}")
        listener.bind(address())
        listener.listen()
        assert client.connect() is not None
        monkeypatch.setattr(client, "peer", lambda _: (1, os.getuid() + 1))
        assert client.connect() is None
