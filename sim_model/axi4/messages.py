"""Messages of transactions: a request for each that has a destination, a response from each subordinate it reaches."""

from dataclasses import dataclass

import numpy as np

from sim_model.axi4.system import Axi4System
from sim_model.axi4.transactions import Transactions
from sim_model.engines.cycle.records import NONE
from sim_model.messages.columns import MessageColumns
from sim_model.messages.header_lengths import header_lengths
from sim_model.messages.messages import Messages
from topology.axi4.address_map import AddressMap

MAX_PROCESSORS = 1 << 32
"""More than any network has."""


@dataclass(frozen=True, eq=False)
class Axi4Messages:
    """Messages of N transactions; a response's number is that of its message.

    Members:
        target (int64[N]): Area of the address; NONE without a destination.
        way (int64[N]): Target as the hardware compares it: the number of its processor or window, and whether it is
            reached.
        request (int64[N]): Message; NONE without a destination.
        first_response (int64[N + 1]): Responses of transaction t are ``first_response[t]`` up to
            ``first_response[t + 1] - 1``, by processor.
        receiver (int64): Processor of each response.
        requests, responses (Messages): In the order of their numbers.
    """

    target: np.ndarray
    way: np.ndarray
    request: np.ndarray
    first_response: np.ndarray
    receiver: np.ndarray
    requests: Messages
    responses: Messages


def axi4_messages(system: Axi4System, given: Transactions) -> Axi4Messages:
    """Return the messages of transactions. They start in the run, so none has a start of its own."""
    areas = system.areas
    target = _targets(areas, given)
    reached: dict[tuple[int, int], tuple[int, ...]] = {}
    for pair in set(zip(target.tolist(), given.manager.tolist(), strict=True)):
        reached[pair] = areas.receivers(*pair) if pair[0] != NONE else ()
    lists = [sorted(reached[pair]) for pair in zip(target.tolist(), given.manager.tolist(), strict=True)]
    counts = np.array([len(own) for own in lists], dtype=np.int64)
    way = _ways(areas, target) * 2 + (counts > 0)
    target = np.where(counts > 0, target, NONE)
    receiver = np.array([processor for own in lists for processor in own], dtype=np.int64)
    found = np.flatnonzero(counts)
    request = np.full(len(given), NONE)
    request[found] = np.arange(len(found))
    owner = np.repeat(np.arange(len(given)), counts)
    body = system.request_words + np.where(given.is_write, given.beats, 0)
    answer = 1 + np.where(given.is_write, 0, given.beats)[owner]
    return Axi4Messages(
        target=target,
        way=way,
        request=request,
        first_response=np.concatenate(([0], np.cumsum(counts))),
        receiver=receiver,
        requests=_messages(system.requests, given.manager[found], receiver, counts[found], body[found]),
        responses=_messages(
            system.responses, receiver, given.manager[owner], np.ones(len(receiver), dtype=np.int64), answer
        ),
    )


def _targets(areas: AddressMap, given: Transactions) -> np.ndarray:
    """Return the area of each address, or NONE; no read has a window."""
    target = np.full(len(given), NONE, dtype=np.int64)
    for number, area in enumerate(areas.areas):
        is_here = (given.address >= np.uint64(area.base)) & (given.address <= np.uint64(area.base + area.size - 1))
        if number >= len(areas.regions):
            is_here &= given.is_write
        target[is_here] = number
    return target


def _ways(areas: AddressMap, target: np.ndarray) -> np.ndarray:
    """Return the destination register behind the decoder of addresses: 0 without an area."""
    processors = [region.processor for region in areas.regions]
    windows = [MAX_PROCESSORS + number for number in range(len(areas.windows))]
    return np.array([*processors, *windows, 0])[target]


def _messages(model, source: np.ndarray, destinations: np.ndarray, counts: np.ndarray, body: np.ndarray) -> Messages:
    """Return checked messages with these bodies."""
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    header = header_lengths(offsets, destinations.astype(np.int32), model.header_flits)
    columns = MessageColumns.of(
        source=source,
        destinations=destinations,
        flits=(header + body).astype(np.int32),
        start_cycle=np.zeros(len(source), dtype=np.int64),
        counts=counts,
    )
    return columns.checked(processors=len(model.network.processors), header_flits=model.header_flits)
