"""Two networks with AXI4 ends, without transactions."""

from dataclasses import dataclass

from sim_model.engines.model import Model
from topology.axi4.address_map import AddressMap
from topology.axi4.words import Axi4Format


@dataclass(frozen=True)
class Axi4System:
    """Everything that determines the cycles of two networks with AXI4 ends.

    Parameters:
        requests, responses: Golden models of the networks, which have the same processors.
        format: Widths.
        areas: The address map.
        managers: Processors with a manager, ascending.
        write_beats: Capacity of the store of writes of a manager.
        whole: Writes are stored until they are complete.
        pipelined: An ID may have several transactions to one target.
        copies: Writes to windows are sent to one subordinate after the other.
        cut_beats: Most beats of a piece of a burst; 0 for whole bursts.
        pending: Transactions that a subordinate may have under way, in each direction.
        timeout_cycles: Before a subordinate has stopped, see ``rtl/axi4/timeout.py``; 0 for never.
        lite: Processors with AXI4-Lite ports. Their regions are single.
        buffer_flits: Capacity of a ``PacketBuffer`` in front of each interface; 0 for none.
        header_words: Headers of responses have the first word, see ``rtl/endpoints/header_words.py``.
        key_cycles: Cycles of the request network's injectors for the key of a set, see ``rtl/generator/plan.py``.
    """

    requests: Model
    responses: Model
    format: Axi4Format
    areas: AddressMap
    managers: tuple[int, ...]
    write_beats: int = 512
    whole: bool = True
    pipelined: bool = False
    copies: bool = False
    cut_beats: int = 0
    pending: int = 4
    timeout_cycles: int = 0
    lite: tuple[int, ...] = ()
    buffer_flits: int = 0
    header_words: bool = False
    key_cycles: int = 0

    @property
    def request_words(self) -> int:
        """Words with the fields of a request."""
        return self.format.request_words(self.requests.flit_bits)
