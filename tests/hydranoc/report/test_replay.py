"""Holds and waits against the engine's own counters, and against a reading of the recording in plain Python."""

from functools import lru_cache

import numpy as np

from hydranoc import Design, load
from hydranoc.replay.holds import Holds
from hydranoc.replay.record import Recording, record
from hydranoc.replay.window import Window
from sim_model.engines.counts import IN_MESSAGE
from sim_model.engines.results import Results
from sim_model.harts.record import variant_field
from tests.each import each
from tests.hydranoc.report.networks import CONFIGURATIONS, NONE, read_holds, simulation_of


@lru_cache
def _design(name: str) -> Design:
    return load(CONFIGURATIONS[name])


@lru_cache
def _results(name: str) -> Results:
    return simulation_of(_design(name)).run()


@lru_cache
def _recording(name: str, first: int = 0, last: int | None = None) -> Recording:
    design = _design(name)
    return record(simulation_of(design), _results(name), first, last, arrival_ports=design.family.arrival_ports)


def _read(name: str) -> dict[tuple[int, int], tuple[int, int, int]]:
    return read_holds(_design(name), _results(name).cycles)


def _differences(name: str, holds: Holds) -> list[str]:
    """Differences from the reference reading; empty if there are none."""
    read = _read(name)
    columns = (column.tolist() for column in holds[:4])
    said = {(channel, head): (message, tail) for channel, message, head, tail in zip(*columns, strict=True)}
    wrong = [f"{key} is not a hold" for key in said.keys() - read.keys()]
    wrong += [f"{key} is missing" for key in read.keys() - said.keys()]
    wrong += [f"{key}: {said[key]}" for key in said.keys() & read.keys() if said[key] != read[key][:2]]
    return wrong + _wrong_waits(name, holds, read)


def _wrong_waits(name: str, holds: Holds, read) -> list[str]:
    """Heads leave from the channel that they arrived at before; injected ones have no earlier channel."""
    design, wrong = _design(name), []
    channels, links = design.network.channels, simulation_of(design).links
    rows = list(zip(*(column.tolist() for column in holds), strict=True))
    for channel, message, head, _, since, before in rows:
        if not design.network.is_switch(channels[channel].source):
            wrong += [f"{channels[channel].name} at {head} has a hold before"] if before != NONE else []
            continue
        if before == NONE:
            wrong.append(f"{channels[channel].name} at {head} has no hold before")
            continue
        came, its_message, its_head = rows[before][:3]
        arrivals = [
            (cycle, number)
            for (number, cycle), (other, _, _) in read.items()
            if other == message and channels[number].sink == channels[channel].source and cycle < head
        ]
        right = (its_head, came) in arrivals if _has_copies(name) else (its_head, came) == max(arrivals, default=None)
        right &= its_message == message and since == its_head + links.stages_of(came)
        if _has_copies(name):
            right &= _hops(read[channel, head][2]) == _hops(read[came, its_head][2]) + 1
        wrong += [] if right else [f"{channels[channel].name} at {head}: came over {channels[came].name}"]
    return wrong


def _has_copies(name: str) -> bool:
    return name == "harts"


def _hops(variant: int) -> int:
    """Link by which a packet reached the node that sends it on; -1 if its host sends it."""
    return int(variant_field(np.array(variant), "hops")) if variant else NONE


@each("name", CONFIGURATIONS)
def test_holds_are_those_of_a_plain_reading(name):
    holds = _recording(name).holds
    assert len(holds.channel) > 200
    assert _differences(name, holds) == []
    waits = (holds.head_cycle - holds.since_cycle)[holds.since_cycle != NONE]
    assert waits.min() > 0
    assert waits.max() > 3 * waits.min()  # some do wait


FAULTS = {
    "a tail a cycle late": lambda h: h._replace(tail_cycle=h.tail_cycle + (np.arange(len(h.channel)) == 50)),
    "another's head": lambda h: h._replace(message=np.roll(h.message, 1)),
    "a hold left out": lambda h: h._replace(**{n: np.delete(getattr(h, n), -1) for n in Holds._fields}),
    "came over another": lambda h: h._replace(before=np.where(h.before == 9, 10, h.before)),
    "waits from the cycle after": lambda h: h._replace(since_cycle=h.since_cycle + 1),
}


@each("fault", FAULTS)
def test_the_plain_reading_finds_faults(fault):
    holds = _recording("spam").holds
    assert 9 in holds.before
    assert _differences("spam", FAULTS[fault](holds)) != []


def test_without_their_headers_copies_seem_to_come_over_others():
    """Broadcast trees are right because the family reports the arrival port of each copy."""
    design = _design("harts")
    blind = record(simulation_of(design), _results("harts"), 0).holds
    assert _differences("harts", blind) != []


@each("name", CONFIGURATIONS)
def test_a_channel_is_held_where_the_engine_counts_a_message_on_it(name):
    """The engine's counters see whether a message is on a channel at the start of a cycle."""
    design, holds = _design(name), _recording(name).holds
    simulation = simulation_of(design, count_channels=True)
    for cycle in range(0, _results(name).cycles, 37):
        simulation.run(cycle)
        held = np.zeros(len(design.network.channels), dtype=bool)
        held[holds.channel[(holds.head_cycle < cycle) & (cycle <= holds.tail_cycle)]] = True
        assert (held == (simulation.state.tallies[:, IN_MESSAGE] > 0)).all(), cycle
    simulation.run()
    moved = np.bincount(
        holds.channel, weights=design.messages.flits[holds.message], minlength=len(design.network.channels)
    )
    assert (moved == simulation.channel_counts().flits).all()


@each("name", CONFIGURATIONS)
def test_a_window_shows_what_the_whole_run_shows(name):
    whole = _recording(name).replay()
    part = _recording(name, 150, 260).replay()
    assert part.window == Window(150, 260)
    for cycle in range(150, 260, 10):
        assert _seen(part, cycle) == _seen(whole, cycle)
    assert len(part.channel) < len(whole.channel)


def _seen(replay, cycle: int) -> tuple[set, set]:
    """Holders and waiting messages (with the start of the wait) in a cycle: (channel, message)."""
    rows = list(zip(*(column.tolist() for column in replay[1:6]), strict=True))
    held = {(c, m) for c, m, _, head, tail in rows if NONE < head <= cycle and (tail == NONE or cycle <= tail)}
    waiting = {(c, m, since) for c, m, since, head, _ in rows if since < cycle and (head == NONE or cycle < head)}
    return held, waiting


def test_a_deadlock_is_recorded_to_its_end():
    design = load("examples/deadlock-enqueue.yaml")
    results = simulation_of(design).run()
    recording = record(simulation_of(design), results, 0)
    assert results.deadlocked
    assert (recording.holds.tail_cycle == NONE).any()
    assert recording.window == Window(0, results.cycles)
