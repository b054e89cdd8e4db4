"""Messages of transactions: requests of each with a destination, and a response from each subordinate they reach."""

from dataclasses import dataclass

import numpy as np

from sim_model.axi4.destinations import destinations
from sim_model.axi4.system import Axi4System
from sim_model.axi4.transactions import Transactions
from sim_model.engines.model import Model
from sim_model.messages.columns import MessageColumns
from sim_model.messages.header_lengths import header_lengths
from sim_model.messages.messages import Messages


@dataclass(frozen=True, eq=False)
class Axi4Requests:
    """Q requests of N transactions, those of a transaction in the order in which they are sent.

    Members:
        first (int64[N + 1]): Requests of transaction t are ``first[t]`` up to ``first[t + 1] - 1``.
        transaction (int64[Q])
        first_beat (int64[Q]): Of the transaction.
        beats (int64[Q])
        copies_follow (bool[Q]): The next request has the same beats, for another subordinate.
        pieces_follow (bool[Q]): Other beats of the transaction follow.
        first_response (int64[Q + 1]): Responses of request q are ``first_response[q]`` up to ``first_response[q + 1] -
            1``, by processor.
    """

    first: np.ndarray
    transaction: np.ndarray
    first_beat: np.ndarray
    beats: np.ndarray
    copies_follow: np.ndarray
    pieces_follow: np.ndarray
    first_response: np.ndarray

    def __len__(self) -> int:
        return len(self.transaction)


@dataclass(frozen=True, eq=False)
class Axi4Messages:
    """Messages of N transactions; numbers of requests and responses are those of their messages.

    Members:
        is_multicast, kept, way: See ``Destinations``.
        receivers (int64[N]): Subordinates that it reaches.
        own (Axi4Requests): Requests.
        request (int64[responses]): Of each response.
        receiver (int64[responses]): Processor of its subordinate.
        requests, responses (Messages)
    """

    is_multicast: np.ndarray
    kept: np.ndarray
    way: np.ndarray
    receivers: np.ndarray
    own: Axi4Requests
    request: np.ndarray
    receiver: np.ndarray
    requests: Messages
    responses: Messages


def axi4_messages(system: Axi4System, given: Transactions) -> Axi4Messages:
    """Return the messages of transactions. They start in the run, so none has a start of its own."""
    reached = destinations(system, given)
    counts = np.array([len(processors) for processors in reached.receivers], dtype=np.int64)
    every = np.array([processor for processors in reached.receivers for processor in processors], dtype=np.int64)
    copies = np.where(reached.is_multicast & system.copies, counts, 1)
    own, copy = _requests(given, counts, copies, system.cut_beats)
    per_request = np.diff(own.first_response)
    request = np.repeat(np.arange(len(own)), per_request)
    position = np.arange(len(request)) - np.repeat(own.first_response[:-1], per_request)
    receiver = every[(np.cumsum(counts) - counts)[own.transaction][request] + copy[request] + position]
    is_write, manager = given.is_write[own.transaction], given.manager[own.transaction]
    body = system.request_words + np.where(is_write, own.beats, 0)
    answer = (0 if system.header_words else 1) + np.where(is_write, 0, own.beats)[request]
    return Axi4Messages(
        is_multicast=reached.is_multicast,
        kept=reached.kept,
        way=reached.way,
        receivers=counts,
        own=own,
        request=request,
        receiver=receiver,
        requests=_messages(system.requests, manager, receiver, per_request, body),
        responses=_messages(
            system.responses, receiver, manager[request], np.ones(len(receiver), dtype=np.int64), answer
        ),
    )


def _requests(
    given: Transactions, counts: np.ndarray, copies: np.ndarray, cut_beats: int
) -> tuple[Axi4Requests, np.ndarray]:
    """Return all requests, and the number of each among the copies of its piece.

    Parameters:
        counts: Subordinates of each transaction.
        copies: Requests of each piece.
        cut_beats: Most beats of a piece; 0 for whole bursts.
    """
    longest = cut_beats or int(given.beats.max())
    pieces = np.where(counts > 0, -(-given.beats // longest), 0)
    first = np.concatenate(([0], np.cumsum(pieces * copies)))
    transaction = np.repeat(np.arange(len(given)), pieces * copies)
    piece, copy = np.divmod(np.arange(len(transaction)) - first[transaction], copies[transaction])
    per_request = (counts // copies)[transaction]
    own = Axi4Requests(
        first=first,
        transaction=transaction,
        first_beat=piece * longest,
        beats=np.minimum(longest, given.beats[transaction] - piece * longest),
        copies_follow=copy < copies[transaction] - 1,
        pieces_follow=piece < pieces[transaction] - 1,
        first_response=np.concatenate(([0], np.cumsum(per_request))),
    )
    return own, copy


def _messages(
    model: Model, source: np.ndarray, destinations: np.ndarray, counts: np.ndarray, body: np.ndarray
) -> Messages:
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
