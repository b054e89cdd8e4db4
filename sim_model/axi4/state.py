"""State of AXI4 ends: arrays of records, one per manager, subordinate, transaction, response and stream.

A transaction has a request for each piece of its burst, and for each subordinate that it reaches where requests have
one destination. A response is a pair of a request and a subordinate that it reaches. Numbers of both are those of their
messages. Names of hardware registers are those of ``rtl/axi4``.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.records import byte

AW, W, B, AR, R = CHANNELS = range(5)
WRITES, READS = 0, 1
"""Directions: positions of a manager's address ports and slots."""
MAX_SLOTS = 16
RING = 32
"""Entries of a subordinate's rings of responses, more than it has under way."""

# Positions in ``counters``.
CYCLE = 0  # next cycle to be run
LEFT = 1  # transactions that are not done
QUIET = 2  # cycles without a handshake or a moving flit, one after the other
HOPS = 3  # flits that had moved in both networks
WRITE_BEATS = 4  # taken by subordinates
READ_BEATS = 5  # taken by managers
STOPPED = 6  # 1 + subordinate that has rested for too long; 0 for none
COUNTERS = 7

# Causes of stalls: cycles in which a request of a manager, or a response, waits.
SAME_ID = 0  # another transaction of its ID is under way
NO_SLOT = 1  # all slots are in use
DATA = 2  # beats of the write are not there
REQUESTS = 3  # the request network, or another request of this manager
PENDING = 4  # the subordinate has as many transactions under way as it may
SUBORDINATE = 5  # the subordinate does not take a request or a beat
RESPONSES = 6  # the response network takes no word
MANAGER = 7  # the manager does not take a response
CAUSES = ("same_id", "slots", "data", "requests", "pending", "subordinate", "responses", "manager")

TRANSACTION_FIELDS = (
    "manager",  # number; never changes, like all down to next_write
    byte("is_write"),
    byte("found"),  # it has a destination
    byte("is_multicast"),
    byte("by_set"),  # its requests name a set of destinations
    "start_cycle",
    "beats",
    "id",
    "way",  # transactions of an ID to the same one keep their order, if IDs are pipelined
    "request",  # the first one, or NONE
    "receivers",
    "first_beat",  # of a write, among the beats of all writes
    "next_write",  # of the manager, or NONE
    "slot",
    "offered_cycle",  # first cycle on channel AW or AR; NONE before, like the next one
    "done_cycle",  # cycle in which the manager takes B, or the last beat of R
    "response",  # worst so far
)
REQUEST_FIELDS = (
    "transaction",  # never changes, like all of them
    "first_beat",  # of the transaction
    "beats",
    byte("copies_follow"),  # the same beats go to another subordinate, with the next request
    byte("pieces_follow"),  # more beats of the transaction follow, with another request
    "first_response",
)
RESPONSE_FIELDS = (
    "request",  # never changes, like all of them
    "subordinate",  # number
    "answer",  # of the subordinate
    "first_place",  # of its beats, among those of all responses
)
PORT_FIELDS = (  # of a channel AW or AR, and of the transactions in its direction
    "offer",  # transaction that the manager offers, or NONE
    "transaction",  # that is taken, or NONE
    byte("ready"),
    byte("held"),
    byte("decoded"),
    byte("granted"),
    "slot",
    "busy",  # mask of slots
)
SLOT_FIELDS = ("transaction", "left", "worst")
MANAGER_FIELDS = (
    "end",  # of its transactions; never changes
    "next",  # transaction that it offers next
    "outstanding",
    "w_offer",  # write whose beat is offered, or NONE
    "w_beat",
    "w_next",  # write whose beats come next, or NONE
    # store of writes
    byte("w_ready"),
    "stored",  # beats that take room
    "unread",  # beats that have not left the memory
    byte("waits"),
    byte("valid"),
    "bursts",
    "front_write",  # write of the oldest beat that has been offered to the store, or NONE
    "front_beat",
    # request sender
    byte("state"),
    byte("writes"),
    byte("write_last"),
    "position",
    "write_request",  # of the write that is sent
    byte("sending"),  # other pieces of the write follow
    "read_request",  # of the read that is sent, or whose response comes
    byte("reading"),  # other pieces of the read follow
    byte("due"),  # the next one may be sent
    # response receiver
    byte("receiving"),
    "r_left",
    "r_response",  # whose beats come
    # channel B
    "complete_head",
    "complete_count",
    byte("b_valid"),
    "b_transaction",
    # wires
    "answered",  # response of a write that comes in this cycle, or NONE
    "ended",  # read whose last beat is taken in this cycle, or NONE
    byte("read_failed"),  # a read without destination is answered
    byte("write_failed"),  # a write without destination is dropped
    byte("was_sending"),  # ``sending`` at the start of the cycle
    byte("piece_ended"),  # the last beat of a piece of a read is taken, and others follow
    byte("aw_start"),
    byte("aw_pop"),
    byte("aw_again"),  # another piece of a write starts
    byte("ar_start"),
    byte("ar_pop"),
    byte("beat_pop"),
    byte("rewinds"),  # the store gives the beats of a piece again
)
SUBORDINATE_FIELDS = (
    # requests
    byte("in_body"),
    "position",
    byte("fresh"),
    byte("aw_valid"),
    byte("ar_valid"),
    "response",  # of the request in the registers
    # responses
    byte("state"),
    byte("reads"),
    byte("read_last"),
    # counts of all time, positions in the rings
    "writes_queued",
    "writes_answered",
    "reads_queued",
    "reads_answered",
    # memory
    "aw_taken",
    "w_taken",
    "w_beat",
    "ar_taken",
    byte("b_valid"),
    byte("r_valid"),
    "r_beat",
    # timeout
    "idle_writes",  # cycles in a row in which it has rested with a write, or part of one
    "idle_reads",
)
SOURCE_FIELDS = (
    "injector",  # never changes, like the next one
    "channel",
    byte("header_word"),  # the only header flit has the first word; never changes
    byte("state"),
    "waited",
    "header_left",
    "message",
    byte("action"),  # what the end of this cycle loads
)
SINK_FIELDS = (
    "channel",  # never changes, like the next two
    byte("header_word"),  # see ``SOURCE_FIELDS``
    byte("buffered"),  # there is a buffer behind it
    "expected",  # of the channel, at the start of the cycle
    "held",  # flits, at the start of the cycle
    "first",  # packed flits
    "second",
    byte("taking"),  # the first one is taken in this cycle
    # buffer
    "stored",
    "begin",  # place of the oldest flit
    byte("ready"),
    byte("valid"),
    "output",
    byte("released"),  # the output is taken in this cycle, if there is one
)


class EndState(NamedTuple):
    """Everything but the networks."""

    outstanding: int  # slots of a manager and direction
    host_outstanding: int  # transactions that a manager has under way, in both directions
    request_words: int
    write_beats: int
    pipelined: int  # 1 if an ID may have several transactions of one way
    repeats: int  # 1 if a write starts with its first request of several
    copies: int  # 1 if a request has one destination only
    whole: int  # 1 if writes are stored until they are complete
    pending: int
    timeout_cycles: int  # 0 for none
    key_cycles: int
    memory_cycles: int
    pause_level: int
    stall_level: int
    patience_cycles: int  # without a change before the run is given up
    managers: np.recarray
    ports: np.recarray  # by manager and direction
    slots: np.recarray  # MAX_SLOTS by manager and direction
    completes: np.ndarray  # int64[managers, MAX_SLOTS], ring of slots
    subordinates: np.recarray
    write_ring: np.ndarray  # int64[subordinates, RING], responses
    read_ring: np.ndarray
    b_due: np.ndarray  # int64[subordinates, RING], cycles
    r_due: np.ndarray
    request_sources: np.recarray  # by manager
    response_sinks: np.recarray
    request_sinks: np.recarray  # by subordinate
    response_sources: np.recarray
    response_buffers: np.ndarray  # int64[managers, flits], rings of packed flits; no flits without buffers
    request_buffers: np.ndarray  # int64[subordinates, flits]
    transactions: np.recarray
    requests: np.recarray
    responses: np.recarray
    phases: np.ndarray  # int64[managers and then subordinates, channels], of the hosts' patterns
    ring: np.ndarray  # uint8, see ``sim_model/engines/cycle/endpoints.py``; empty if no host holds back
    blockades: np.ndarray  # int64[blockades, 3]: managers and then subordinates, first cycle, end
    written: np.ndarray  # int64[beats of all writes, lanes]
    masks: np.ndarray  # int64, bits of them that are written
    memory: np.ndarray  # int64[words of all memories, lanes]
    places: np.ndarray  # int64[beats of all responses], word of the memory
    read: np.ndarray  # int64[beats of all responses, lanes], as the memory gives them
    stalls: np.ndarray  # int64[causes]
    counters: np.ndarray  # int64[COUNTERS]
