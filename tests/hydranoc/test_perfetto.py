"""Traces for ui.perfetto.dev: valid in their format, and equal to the recording."""

import copy
import gzip
import json
from functools import lru_cache

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from hydranoc.replay import perfetto
from hydranoc.replay.perfetto import Written, write_perfetto
from hydranoc.replay.record import Recording
from hydranoc.replay.window import Window
from tests.each import each
from tests.hydranoc.report.networks import CONFIGURATIONS, simulation_of

FIELDS = {
    "M": {"name", "pid", "args"},
    "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
    "s": {"name", "cat", "id", "ts", "pid", "tid"},
    "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"},
}
"""Fields that a reader needs in an event of each phase."""


@lru_cache
def design_of(name: str) -> Design:
    return load(CONFIGURATIONS[name])


def written(design: Design, path, window=None) -> tuple[dict, Written, Recording]:
    recording = design.recording(simulation_of(design).run(), window)
    told = write_perfetto(recording, design.network, path)
    return json.loads(path.read_text()), told, recording


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("traces")
    return {
        name: written(design_of(name), folder / f"{number}.json")[::2] for number, name in enumerate(CONFIGURATIONS)
    }


@pytest.fixture(scope="module")
def traces(recordings):
    return {name: trace for name, (trace, _) in recordings.items()}


def events(trace: dict, phase: str) -> list[dict]:
    return [event for event in trace["traceEvents"] if event["ph"] == phase]


def problems(trace: dict) -> list[str]:
    """Events that a reader of the format could not show as intended; empty if there are none."""
    found = [f"{event} lacks a field" for event in trace["traceEvents"] if not FIELDS[event["ph"]] <= event.keys()]
    for event in trace["traceEvents"]:
        numbers = [event[field] for field in ("ts", "dur", "pid", "tid", "id") if field in event]
        found += [] if all(type(number) is int and number >= 0 for number in numbers) else [f"{event}: numbers"]
    return found or [*_unnamed(trace), *_overlaps(trace), *_loose_arrows(trace)]


def _unnamed(trace: dict) -> list[str]:
    tracks = {(event["pid"], event["tid"]) for event in events(trace, "M") if event["name"] == "thread_name"}
    groups = {event["pid"] for event in events(trace, "M") if event["name"] == "process_name"}
    return [
        f"{event} is on a track without a name"
        for phase in "Xsf"
        for event in events(trace, phase)
        if (event["pid"], event["tid"]) not in tracks or event["pid"] not in groups
    ]


def _overlaps(trace: dict) -> list[str]:
    found, free = [], {}
    for event in sorted(events(trace, "X"), key=lambda event: event["ts"]):
        track = event["pid"], event["tid"]
        found += [f"{event} begins before another ends"] if event["ts"] < free.get(track, 0) else []
        found += [] if event["dur"] > 0 else [f"{event} cannot be seen"]
        free[track] = event["ts"] + event["dur"]
    return found


def _loose_arrows(trace: dict) -> list[str]:
    """An arrow begins in a slice that is open, and ends where one begins; the file has it behind both."""
    opened, begun, found = {}, {}, []
    for event in trace["traceEvents"]:
        track = event["pid"], event.get("tid")
        if event["ph"] == "X":
            opened[track, event["ts"]] = event
        if event["ph"] == "s":
            found += [] if (track, event["ts"]) in opened else [f"{event} begins in no slice"]
            begun[event["id"]] = event["ts"]
        if event["ph"] == "f":
            found += [] if (track, event["ts"]) in opened and event["bp"] == "e" else [f"{event} ends in no slice"]
            found += [] if begun.pop(event["id"], event["ts"]) < event["ts"] else [f"{event} has no beginning before"]
    return found + [f"arrow {number} has no end" for number in begun]


def differences(name: str, trace: dict, recording: Recording) -> list[str]:
    """Differences from the holds of the recording: slices and their names."""
    design = design_of(name)
    named = {event["tid"]: event["args"]["name"] for event in events(trace, "M") if event["name"] == "thread_name"}
    said = {
        (named[event["tid"]], event["args"]["message"], event["ts"], event["ts"] + event["dur"] - 1)
        for event in events(trace, "X")
    }
    rows = zip(*(column.tolist() for column in recording.holds[:4]), strict=True)
    wrong = [f"{row}" for row in said ^ {(design.network.channels[channel].name, *row) for channel, *row in rows}]
    for event in events(trace, "X"):
        message = event["args"]["message"]
        wrong += [] if event["name"] == _expected_name(design, message) else [f"{event['name']} is message {message}"]
    return wrong


def _expected_name(design: Design, message: int) -> str:
    to = [f"p{destination}" for destination in design.messages.destinations_of(message)]
    more = f" and {len(to) - 4} more" if len(to) > 4 else ""
    return f"{message}: p{design.messages.source[message]} to {', '.join(to[:4])}{more}"


@each("name", CONFIGURATIONS)
def test_traces_follow_the_rules_of_their_format(name, traces):
    assert problems(traces[name]) == []
    assert len(events(traces[name], "s")) > 100


@each("name", CONFIGURATIONS)
def test_slices_are_those_of_the_recording(name, recordings):
    assert differences(name, *recordings[name]) == []


@each("name", CONFIGURATIONS)
def test_arrows_lead_every_head_back_to_its_processor(name, traces):
    """A head on a channel from a switch came over one that leads there, and every way begins at the source."""
    network, trace = design_of(name).network, traces[name]
    channel_of = {event["tid"]: network.channels[event["tid"] - 1] for event in events(trace, "X")}
    came = {}
    for begin, end in zip(events(trace, "s"), events(trace, "f"), strict=True):
        came[end["tid"], end["ts"]] = begin["tid"], begin["ts"]
        assert channel_of[begin["tid"]].sink == channel_of[end["tid"]].source
    for event in events(trace, "X"):
        place = event["tid"], event["ts"]
        while place in came:
            place = came[place]
        assert channel_of[place[0]].source == network.switches + event["args"]["source"]
        from_processor = not network.is_switch(channel_of[event["tid"]].source)
        assert ("came_over" not in event["args"]) == from_processor


def _slice(trace: dict, number: int = 30) -> dict:
    return events(trace, "X")[number]


FAULTS = {
    "a slice a cycle longer": lambda t: _slice(t).update(dur=_slice(t)["dur"] + 1),
    "another message": lambda t: _slice(t)["args"].update(message=_slice(t)["args"]["message"] + 1),
    "another's name": lambda t: _slice(t).update(name=_slice(t, 90)["name"]),
    "an unknown track": lambda t: _slice(t).update(tid=10**6),
    "an arrow without an end": lambda t: t["traceEvents"].remove(events(t, "f")[5]),
    "an arrow without a beginning": lambda t: t["traceEvents"].remove(events(t, "s")[5]),
    "an arrow that ends outside": lambda t: events(t, "f")[5].update(ts=10**6),
    "half a cycle": lambda t: _slice(t).update(ts=_slice(t)["ts"] + 0.5),
    "no length": lambda t: _slice(t).pop("dur"),
}


@each("fault", FAULTS)
def test_faults_are_seen(fault, recordings):
    trace, recording = copy.deepcopy(recordings["spam"][0]), recordings["spam"][1]
    FAULTS[fault](trace)
    assert problems(trace) or differences("spam", trace, recording)


def without_origin(slices: list[dict]) -> list[dict]:
    """Slices but for the channel over which their heads came, which a window may leave out."""
    return [{**s, "args": {name: value for name, value in s["args"].items() if name != "came_over"}} for s in slices]


def test_a_window_has_the_slices_that_reach_into_it(tmp_path, traces):
    part, told, _ = written(design_of("spam"), tmp_path / "part.json", (150, 260))
    inside = [e for e in events(traces["spam"], "X") if e["ts"] < 260 and e["ts"] + e["dur"] > 150]
    assert without_origin(events(part, "X")) == without_origin(inside)
    assert problems(part) == []
    assert told == Written(Window(150, 260), len(inside))
    assert 0 < len(events(part, "s")) < len(inside)


def test_too_much_is_cut_at_the_end(tmp_path, traces, monkeypatch):
    monkeypatch.setattr(perfetto, "MAX_SLICES", 100)
    part, told, _ = written(design_of("spam"), tmp_path / "part.json")
    whole = events(traces["spam"], "X")
    assert 80 < told.slices <= 100
    assert events(part, "X") == whole[: told.slices]
    assert told.window == Window(0, whole[100]["ts"])
    assert problems(part) == []


def test_a_deadlock_has_slices_without_an_end(tmp_path):
    trace, told, _ = written(load("examples/deadlock-enqueue.yaml"), tmp_path / "deadlock.json")
    held = [event for event in events(trace, "X") if event["args"].get("tail") == "not seen"]
    assert held
    assert all(event["ts"] + event["dur"] == told.window.last for event in held)
    assert problems(trace) == []


def test_command_writes_and_says_what_it_shows(tmp_path, capsys):
    file = tmp_path / "new" / "trace.json.gz"
    command = ["model", "examples/fig1.yaml", "-o", str(tmp_path / "out"), "--perfetto", str(file)]
    assert run(command) == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == f"{file}: cycles 0 to 1,274, 13 slices"
    assert problems(json.loads(gzip.decompress(file.read_bytes()))) == []
    assert run([*command, "--window", "1010:1020", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["perfetto"]
    assert figures["window"] == [1010, 1020]
    assert 0 < figures["slices"] < 13


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--window", "0:5"], "--window is the part of a run that --perfetto FILE writes, and needs that option"),
        (
            ["--perfetto", "{}/t.json", "--window", "5:5"],
            "a window is '5:5'; it must be FIRST:LAST in cycles with FIRST < LAST",
        ),
        (
            ["--perfetto", "{}/t.json", "--window", "9000:9001"],
            "a window is 9000:9001; it must be FIRST:LAST with FIRST < LAST and FIRST from 0 to 1274",
        ),
        (["--perfetto", "{}/file/t.json"], "{}/file"),
    ],
)
def test_wrong_options_are_refused_and_nothing_is_written(tmp_path, capsys, options, error):
    (tmp_path / "file").write_text("")
    told = [option.format(tmp_path) for option in options]
    assert run(["model", "examples/fig1.yaml", "-o", str(tmp_path / "out"), *told]) == 2
    assert error.format(tmp_path) in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
