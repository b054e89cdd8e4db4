"""Managers and subordinates that wait for events, for trials of networks with AXI4 ends.

Each end has a ``step`` that is called behind each clock edge: it reads the handshakes of the edge, and drives its
signals for the next one.
"""

import random
from collections import deque
from collections.abc import Callable
from typing import Any

from tb.common.axi4.trial_job import DATA_FIRST, REQUEST_FIRST, Event, Transfer, Trial

SIZE, INCR = 2, 1
WORD_BYTES = 1 << SIZE
IDS = 4


class Wrong(Exception):
    """An answer, beat or request that is not due."""


class _Port:
    """Signals of an end; those that do not change are not driven again."""

    def __init__(self, dut: Any, prefix: str, trial: Trial, pauses: random.Random):
        self._handles = {}
        for channel in ("aw", "w", "b", "ar", "r"):
            for name in ("valid", "ready", "id", "addr", "len", "size", "burst", "data", "strb", "last", "resp"):
                if (handle := getattr(dut, f"{prefix}_{channel}{name}", None)) is not None:
                    self._handles[f"{channel}{name}"] = handle
        self._driven: dict[str, int] = {}
        self._trial, self._pauses = trial, pauses

    def get(self, name: str) -> int:
        """Return the value of a signal before the edge."""
        return int(self._handles[name].value)

    def put(self, **values: int) -> None:
        """Drive signals."""
        for name, value in values.items():
            if name in self._handles and self._driven.get(name) != value:
                self._handles[name].value = self._driven[name] = value

    def goes(self, channel: str) -> bool:
        """Return whether a transfer has happened."""
        return bool(self.get(f"{channel}valid") and self.get(f"{channel}ready"))

    def rests(self) -> bool:
        """Return whether a channel pauses in the next cycle."""
        return self._trial.pause > 0 and self._pauses.random() < self._trial.pause


class Manager:
    """A manager that begins transfers as soon as it may.

    Parameters:
        happened: Whether an event, or None, has happened.
        note: Called with each event of this end.
    """

    def __init__(self, dut: Any, processor: int, trial: Trial, happened: Callable, note: Callable):
        self.port = _Port(dut, f"s_axi_n{processor}", trial, random.Random(f"{trial.seed} manager {processor}"))
        self.processor, self.happened, self.note = processor, happened, note
        self.holds = {channel: trial.holds.get((processor, channel), 0) for channel in ("b", "r")}
        own = trial.transfers[processor]
        self.pending = {name: deque(t for t in own if t.channel == name) for name in ("write", "read")}
        self.offered: dict[str, Transfer | None] = {"write": None, "read": None}
        self.data: deque[tuple[Transfer, int]] = deque()
        self.open: dict[str, list[list[Any]]] = {"write": [], "read": []}
        self.ended = {"write": 0, "read": 0}
        self.left = len(own)

    def reset(self) -> None:
        """Drive all signals of a port at rest."""
        self.port.put(awvalid=0, wvalid=0, arvalid=0, bready=0, rready=0, wstrb=0xF)
        for channel in ("aw", "ar"):
            self.port.put(**{f"{channel}size": SIZE, f"{channel}burst": INCR})

    def step(self, cycle: int) -> None:
        """Do what a clock edge brings."""
        for channel, name in (("aw", "write"), ("ar", "read")):
            self._request(channel, name)
        self._give_data()
        self._take_answers(cycle)

    def _request(self, channel: str, name: str) -> None:
        port, offered = self.port, self.offered[name]
        if offered is not None:
            if not port.goes(channel):
                return
            self.open[name].append([offered, 0])
            self.offered[name] = None
        port.put(**{f"{channel}valid": 0})
        queue = self.pending[name]
        if queue and self.happened(queue[0].after) and not port.rests():
            transfer = self.offered[name] = queue.popleft()
            if name == "write":
                self.data.append((transfer, 0))
            values = {"valid": 1, "id": transfer.id, "addr": transfer.address, "len": transfer.beats - 1}
            port.put(**{f"{channel}{key}": value for key, value in values.items()})

    def _give_data(self) -> None:
        port = self.port
        if port._driven.get("wvalid"):
            if not port.goes("w"):
                return
            transfer, beat = self.data.popleft()
            if beat + 1 < transfer.beats:
                self.data.appendleft((transfer, beat + 1))
        port.put(wvalid=0)
        if not self.data or port.rests():
            return
        transfer, beat = self.data[0]
        if beat == 0 or self.happened(transfer.data_after):
            port.put(wvalid=1, wdata=_word(transfer.address, beat), wlast=int(beat + 1 == transfer.beats))

    def _take_answers(self, cycle: int) -> None:
        port = self.port
        for channel, name in (("b", "write"), ("r", "read")):
            if port.goes(channel):
                self._answer(channel, name)
            port.put(**{f"{channel}ready": int(cycle + 1 >= self.holds[channel] and not port.rests())})

    def _answer(self, channel: str, name: str) -> None:
        port, number = self.port, self.port.get(f"{channel}id")
        place = f"n{self.processor}, channel {channel.upper()}, ID {number}"
        row = next((row for row in self.open[name] if row[0].id == number), None)
        if row is None:
            raise Wrong(f"{place}: answer without a request")
        if port.get(f"{channel}resp"):
            raise Wrong(f"{place}: response {port.get(f'{channel}resp')}")
        transfer, beat = row
        if channel == "r":
            seen, due = port.get("rdata"), _word(transfer.address, beat)
            if seen != due:
                raise Wrong(f"{place}: beat {beat} is {seen:#x}; it must be {due:#x}")
            if port.get("rlast") != (beat + 1 == transfer.beats):
                raise Wrong(f"{place}: beat {beat} of {transfer.beats} has rlast {port.get('rlast')}")
            row[1] += 1
            if row[1] < transfer.beats:
                return
        self.open[name].remove(row)
        self.left -= 1
        self.note(Event("ended", self.processor, name, self.ended[name]))
        self.ended[name] += 1


def _word(address: int, beat: int) -> int:
    """Return the only data that are written to a word, and read from it: its offset in a page."""
    return (address + beat * WORD_BYTES) & 0xFFF


class Subordinate:
    """A memory whose words have their addresses as data; it answers as soon as it may, in order."""

    def __init__(self, dut: Any, processor: int, trial: Trial, happened: Callable, note: Callable):
        self.port = _Port(dut, f"m_axi_n{processor}", trial, random.Random(f"{trial.seed} subordinate {processor}"))
        self.processor, self.trial, self.happened, self.note = processor, trial, happened, note
        self.arrived = {"write": 0, "read": 0}
        self.requests: dict[str, deque[list[int]]] = {"write": deque(), "read": deque()}
        self.answered = {"write": 0, "read": 0}
        self.bursts = 0
        self.beats: list[int] = []
        self.complete: deque[list[int]] = deque()

    def reset(self) -> None:
        """Drive all signals of a port at rest."""
        self.port.put(awready=0, wready=0, arready=0, bvalid=0, rvalid=0, bid=0, rid=0, bresp=0, rresp=0)

    def step(self, cycle: int) -> None:
        """Do what a clock edge brings."""
        del cycle
        for channel, name in (("aw", "write"), ("ar", "read")):
            if self.port.goes(channel):
                self.requests[name].append([self.port.get(f"{channel}addr"), self.port.get(f"{channel}len") + 1])
                self.note(Event("arrived", self.processor, name, self.arrived[name]))
                self.arrived[name] += 1
        self._take_data()
        self._answer_write()
        self._answer_read()
        self._be_ready()

    def _take_data(self) -> None:
        if self.port.goes("w"):
            self.beats.append(self.port.get("wdata"))
            if self.port.get("wlast"):
                self.complete.append(self.beats)
                self.beats = []
                self.bursts += 1

    def _be_ready(self) -> None:
        port, rule = self.port, self.trial.rule
        takes_data = rule != REQUEST_FIRST or self.arrived["write"] > self.bursts
        takes_request = rule != DATA_FIRST or self.bursts > self.arrived["write"]
        port.put(awready=int(takes_request and not port.rests()))
        port.put(wready=int(takes_data and not port.rests()), arready=int(not port.rests()))

    def _due(self, name: str) -> bool:
        """Return whether the next answer waits for no event."""
        key = Event("arrived", self.processor, name, self.answered[name])
        return bool(self.requests[name]) and self.happened(self.trial.answers_after.get(key))

    def _answer_write(self) -> None:
        port = self.port
        if port._driven.get("bvalid"):
            if not port.goes("b"):
                return
            self.answered["write"] += 1
        port.put(bvalid=0)
        if self.complete and self._due("write"):
            (address, beats), data = self.requests["write"].popleft(), self.complete.popleft()
            due = [_word(address, beat) for beat in range(beats)]
            if data != due:
                raise Wrong(
                    f"n{self.processor}: {len(data)} beats at {address:#x} are {data[:4]}; they must be {due[:4]}"
                )
            port.put(bvalid=1)

    def _answer_read(self) -> None:
        port = self.port
        if port._driven.get("rvalid"):
            if not port.goes("r"):
                return
            self.requests["read"][0][0] += WORD_BYTES
            self.requests["read"][0][1] -= 1
            if not self.requests["read"][0][1]:
                self.requests["read"].popleft()
                self.answered["read"] += 1
        port.put(rvalid=0)
        if self._due("read") and not port.rests():
            address, left = self.requests["read"][0]
            port.put(rvalid=1, rdata=_word(address, 0), rlast=int(left == 1))
