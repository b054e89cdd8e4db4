"""Recordings of the golden model of AXI4 ends as rows of the hardware's inputs and observed bits, in blocks."""

from collections.abc import Iterator, Mapping

import numpy as np

from hydranoc.lockstep.axi4.fields import MOVED, Axi4Fields, error_of, lanes_of
from hydranoc.lockstep.rows.packing import LANE_BITS, Block, Columns, filled
from rtl.axi4.network import MANAGER
from rtl.axi4.ports import request_channel
from sim_model.axi4.data import mixed
from sim_model.axi4.simulation import Axi4Simulation, Axi4Trace
from sim_model.axi4.state import AR, AW, B, R, W
from topology.axi4.words import DECERR

SIDEBAND = ("lock", "cache", "prot", "qos", "user")
WRITES, READS = 1 << 44, 1 << 45
"""First numbers of the sideband of their beats."""
CHANNEL_NAMES = {"aw": AW, "w": W, "b": B, "ar": AR, "r": R}
Values = Mapping[str, np.ndarray]
"""Signals of a channel; an array (rows) or, for data, (rows, lanes)."""


class Axi4Records:
    """Records of a run, from its first cycle on.

    Parameters:
        simulation: The golden model, which runs along.
        fields: Of its hardware.
        cycles: To be recorded.
    """

    def __init__(self, simulation: Axi4Simulation, fields: Axi4Fields, cycles: int):
        self._simulation, self._fields, self._cycles = simulation, fields, cycles
        self._axi = simulation.system.format
        given = simulation.transactions
        self._is_lite = np.isin(given.manager, simulation.system.lite)
        self._sideband = {name: self._sideband_of(place, name) for place, name in enumerate(SIDEBAND)}

    def _sideband_of(self, place: int, name: str) -> np.ndarray:
        """Return a sideband signal of all transactions; managers of AXI4-Lite have PROT alone."""
        bits = request_channel("", self._axi, 0).get(name, 0)
        drawn = mixed(np.arange(len(self._is_lite)) * len(SIDEBAND) + place) & _mask(bits)
        return drawn if name == "prot" else np.where(self._is_lite, np.uint64(0), drawn)

    def blocks(self, block_cycles: int) -> Iterator[Block]:
        """Yield the rows of all cycles, recorded block by block.

        Parameters:
            block_cycles: Cycles of a block; the last one may have fewer.
        """
        for done in range(0, self._cycles, block_cycles):
            yield self._block(min(block_cycles, self._cycles - done))

    def _block(self, cycles: int) -> Block:
        trace = self._simulation.record(cycles)
        columns = list(self._columns(trace))
        given, observed = self._fields.input_packing, self._fields.observed_packing
        return Block(
            given.pack(filled(given, cycles, columns)), observed.pack(filled(observed, cycles, columns, every=True))
        )

    def _columns(self, trace: Axi4Trace) -> Iterator[Columns]:
        ends = trace.ends
        for prefix, processors, _ in self._fields.ends:
            is_manager = prefix == MANAGER
            offers, ready = (
                (ends.manager_offers, ends.manager_ready)
                if is_manager
                else (ends.subordinate_offers, ends.subordinate_ready)
            )
            if not is_manager and self._simulation.system.timeout_cycles:
                names = [error_of(processor) for processor in processors]
                yield names, np.zeros((len(ready), len(names)), dtype=np.uint64)
            for number, processor in enumerate(processors):
                for name, channel in CHANNEL_NAMES.items():
                    port = f"{prefix}_n{processor}_{name}"
                    offer = offers[:, number, channel]
                    handshake = np.stack((offer != -1, ready[:, number, channel]), axis=1).astype(np.uint64)
                    yield (f"{port}valid", f"{port}ready"), handshake
                    values = self._payload(name, offer, is_manager)
                    if channel == B and is_manager:
                        values["resp"] = ends.manager_answers[:, number]
                    yield from _signals(port, values, offer != -1)
        for name, moved in zip(MOVED, trace.moved, strict=True):
            yield _lanes(MOVED[name], moved)

    def _payload(self, name: str, offer: np.ndarray, is_manager: bool) -> dict[str, np.ndarray]:
        """Return the payload of offers on a channel; anything where there is none."""
        simulation = self._simulation
        state, given = simulation.state, simulation.transactions
        failed = offer < -1
        number, beat = np.where(failed, -2 - offer, offer) >> 8, np.where(failed, -2 - offer, offer) & 255
        response = request = None
        transaction, first = number, np.zeros(len(offer), dtype=np.int64)
        if not is_manager or (name == "r" and len(state.responses)):
            response = np.where(failed, 0, number)
            request = simulation.messages.request[response]
            transaction = np.where(failed, number, simulation.messages.own.transaction[request])
            first = np.where(failed, 0, simulation.messages.own.first_beat[request])
        if name in ("aw", "ar"):
            values = self._request(transaction, request, response)
            if name == "aw" and is_manager and self._axi.masks:
                values["user"] = self._with_mask(values["user"], given.mask[transaction])
            return values
        end = given.beats[transaction]
        if request is not None and not is_manager:
            end = simulation.messages.own.beats[request] + first
        last = first + beat == end - 1
        if name == "w":
            place = state.transactions["first_beat"][transaction] + first + beat
            place = np.minimum(place, len(state.written) - 1)
            user = np.where(self._is_lite[transaction], np.uint64(0), self._user(place + WRITES))
            values = {"strb": simulation.data.strobes[place], "user": user, "last": last}
            return {**values, "data": state.written[place].view(np.uint64)}
        values = {"id": given.id[transaction] if is_manager else np.zeros(len(offer), dtype=np.int64)}
        if response is not None:
            values["resp"] = simulation.answers[response]
        if name == "b":
            return values
        if response is None:
            return {**values, "resp": np.full(len(offer), DECERR), "last": last, **self._no_data(len(offer))}
        place = np.minimum(state.responses["first_place"][response] + beat, len(state.read) - 1)
        data = np.where(failed[:, None], 0, state.read[place]).view(np.uint64)
        has_user = ~failed & ~np.isin(simulation.messages.receiver[response], simulation.system.lite)
        user = np.where(has_user, self._user(place + READS), np.uint64(0))
        return {**values, "resp": np.where(failed, DECERR, values["resp"]), "last": last, "data": data, "user": user}

    def _user(self, numbers: np.ndarray) -> np.ndarray:
        return mixed(numbers) & _mask(self._axi.user_bits)

    def _no_data(self, rows: int) -> dict[str, np.ndarray]:
        lanes = self._simulation.state.memory.shape[1]
        return {"data": np.zeros((rows, lanes), dtype=np.uint64), "user": np.zeros(rows, dtype=np.uint64)}

    def _request(
        self, transaction: np.ndarray, request: np.ndarray | None, response: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        simulation, given = self._simulation, self._simulation.transactions
        zero = np.zeros(len(transaction), dtype=np.uint64)
        values = {name: column[transaction] for name, column in self._sideband.items()}
        values |= {"size": given.size[transaction], "burst": given.burst[transaction]}
        if response is None or request is None:
            own = {"id": given.id[transaction], "addr": given.address[transaction]}
            return {**values, **own, "len": given.beats[transaction] - 1}
        own = {"id": zero, "lock": zero, "addr": simulation.data.address[response]}
        return {**values, **own, "len": simulation.messages.own.beats[request] - 1}

    def _with_mask(self, user: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return AWUSER, which begins with the mask: (rows,), or (rows, lanes) if it is wider than a lane."""
        low = self._axi.address_bits
        first = mask | user << np.uint64(low) if low < LANE_BITS else mask
        if low + self._axi.user_bits <= LANE_BITS:
            return first
        return np.stack((first, user >> np.uint64(LANE_BITS - low)), axis=1)


def _mask(bits: int) -> np.uint64:
    return np.uint64((1 << bits) - 1)


def _signals(port: str, values: Values, valid: np.ndarray) -> Iterator[Columns]:
    """Yield the signals of a channel, 0 without ``valid``."""
    for signal, column in values.items():
        own = column.astype(np.uint64).reshape(len(valid), -1) * valid[:, None].astype(np.uint64)
        names = [name for name, _ in lanes_of(f"{port}{signal}", LANE_BITS * own.shape[1])]
        yield names, own


def _lanes(name: str, bits: np.ndarray) -> Columns:
    """Return columns of bits as lanes."""
    rows, width = bits.shape
    padded = np.zeros((rows, -(-width // LANE_BITS) * LANE_BITS), dtype=np.uint8)
    padded[:, :width] = bits
    lanes = np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    return [part for part, _ in lanes_of(name, width)], lanes
