"""Golden twins of hosts: injector and ejector, payload generator, and back-pressure."""

from collections import deque
from dataclasses import dataclass

from sim_model.parts.switch import InputBufferTwin, Inputs, Outputs
from topology.common.flits import MESSAGE_FLITS_BITS, FlitFormat, HeaderFormat, bits_for
from topology.common.host_pattern import first_state, holds_back, next_state
from topology.common.pattern import payload_word


class PatternSourceTwin:
    """Endless stream of payload words, started anew for each message.

    Parameters:
        flit_bits: Width of a word.

    Members:
        seed (int or None): Seed of the message; None before the first start, when the words are open.
        index (int): Number of the word that is offered.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = flit_bits
        self.seed: int | None = None
        self.index = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``start``, ``seed``, ``words.*``."""
        word = None if self.seed is None else payload_word(self.seed, self.index, self.flit_bits)
        if inputs["start"]:
            self.seed, self.index = inputs["seed"], 0
        elif inputs["words.ready"]:
            self.index += 1
        return {"words.valid": 1, "words.payload": word}


@dataclass(frozen=True)
class Descriptor:
    """Descriptor of a message for the injector.

    Members:
        header: Data of the header flits that are sent, at least one.
        flits: Length of the whole message, header included.
    """

    header: tuple[int, ...]
    flits: int


class DescriptorFormat:
    """Descriptors as integers: header flits lowest, their number, message length.

    Parameters:
        header: Header format of the network.
    """

    def __init__(self, header: HeaderFormat):
        self.flit_bits = header.flit_bits
        self._header_bits = header.multicast_flits * header.flit_bits
        self._count_bits = bits_for(header.multicast_flits + 1)

    @property
    def width(self) -> int:
        """Bits of a descriptor."""
        return self._header_bits + self._count_bits + MESSAGE_FLITS_BITS

    def pack(self, descriptor: Descriptor) -> int:
        """Return the descriptor as an integer."""
        value = sum(word << position * self.flit_bits for position, word in enumerate(descriptor.header))
        value |= len(descriptor.header) << self._header_bits
        return value | descriptor.flits << self._header_bits + self._count_bits

    def lengths(self, value: int) -> tuple[int, int]:
        """Return the flits of the header and of the whole message, from the integer."""
        return value >> self._header_bits & (1 << self._count_bits) - 1, value >> self._header_bits + self._count_bits

    def unpack(self, value: int) -> Descriptor:
        """Return the descriptor of an integer."""
        count, flits = self.lengths(value)
        mask = (1 << self.flit_bits) - 1
        header = tuple(value >> position * self.flit_bits & mask for position in range(count))
        return Descriptor(header, flits)


class MessageInjectorTwin:
    """Sends one message at a time: header flits from the descriptor, then body flits from the payload stream.

    Parameters:
        header: Header format of the network.
        most_flits: The longest message that is sent.

    Members:
        started (bool): False in the first cycle, in which no message is taken.
        error (int): 1 after a descriptor has been refused.
        busy (bool): A message is in hand; from its acceptance until its tail has moved.
        register (int or None): The flit on the link; None if there is none.
        header_left (deque of int): Data of the header flits that are still to be loaded.
        flits_left (int): All flits of the message that are still to be loaded.
    """

    def __init__(self, header: HeaderFormat, most_flits: int | None = None):
        self._descriptors = DescriptorFormat(header)
        self._flits = FlitFormat(header.flit_bits)
        self._longest_header = header.multicast_flits
        self._most_flits = most_flits
        self.started = False
        self.busy = False
        self.error = 0
        self.register: int | None = None
        self.header_left: deque[int] = deque()
        self.flits_left = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``message.*``, ``payload.*``, ``link.*``."""
        free = self.register is None or bool(inputs["link.ready"])
        word_due = free and self.flits_left > 0 and not self.header_left
        outputs: Outputs = {
            "message.ready": int(self.started and not self.busy),
            "payload.ready": int(word_due),
            "link.valid": int(self.register is not None),
            "link.payload": self.register,
            "error": self.error,
        }
        accepting = inputs["message.valid"] and self.started and not self.busy
        self.started = True
        if free:
            self._release_after_tail()
            self._load(inputs)
        if accepting and self._is_sound(inputs["message.payload"]):
            self._accept(self._descriptors.unpack(inputs["message.payload"]))
        elif accepting:
            self.error = 1
        return outputs

    def _release_after_tail(self) -> None:
        if self.register is not None and self._flits.unpack(self.register)[2]:
            self.busy = False

    def _load(self, inputs: Inputs) -> None:
        self.register = None
        if self.header_left:
            self._put(self.header_left.popleft(), head=False)
        elif self.flits_left and inputs["payload.valid"]:
            self._put(inputs["payload.payload"], head=False)

    def _is_sound(self, value: int) -> bool:
        header_flits, flits = self._descriptors.lengths(value)
        too_long = self._most_flits is not None and flits > self._most_flits
        return 1 <= header_flits <= self._longest_header and flits >= header_flits and not too_long

    def _accept(self, descriptor: Descriptor) -> None:
        self.busy = True
        self.flits_left = descriptor.flits
        self.header_left = deque(descriptor.header)
        self._put(self.header_left.popleft(), head=True)

    def _put(self, data: int, *, head: bool) -> None:
        self.register = self._flits.pack(data=data, head=head, tail=self.flits_left == 1)
        self.flits_left -= 1


EJECTOR_FLITS = 2


class MessageEjectorTwin:
    """A buffer of two flits between a delivery channel and the user.

    Members:
        buffer (InputBufferTwin)
    """

    def __init__(self):
        self.buffer = InputBufferTwin(EJECTOR_FLITS)

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``link.*`` and ``user.*``."""
        pop = int(self.buffer.present and inputs["user.ready"])
        link = {port: inputs[port] for port in ("link.valid", "link.payload")}
        inside = self.buffer.step({**link, "pop": pop})
        return {"link.ready": inside["link.ready"], "user.valid": inside["present"], "user.payload": inside["flit"]}


class HostPatternTwin:
    """Selects the cycles in which an endpoint pauses or stalls.

    Members:
        state (int): State of the shift register; 0 before cycle 0.
        begun (bool): True after the first cycle after reset, the one before cycle 0.
    """

    def __init__(self):
        self.state = 0
        self.begun = False

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``seed``, ``salt``, ``level`` and ``holds``."""
        state = self.state or first_state(inputs["seed"], inputs["salt"])
        if inputs["level"] and self.begun:
            self.state = next_state(state)
        self.begun = True
        return {"holds": int(holds_back(state, inputs["level"]))}


class PausingSourceTwin:
    """Source of the words of a message, with pauses.

    Parameters:
        flit_bits: Width of a word.

    Members:
        offered (bool): True if a word was offered at the end of the last cycle, and was not taken.
    """

    def __init__(self, flit_bits: int):
        self.offered = False
        self._pattern = HostPatternTwin()
        self._words = PatternSourceTwin(flit_bits)

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``start``, ``payload_seed``, ``words.*`` and those of the pattern."""
        pauses = self._pattern.step(inputs)["holds"]
        valid = self.offered or not pauses
        taken = valid and inputs["words.ready"]
        self.offered = bool(valid and not taken and not inputs["start"])
        words = {"start": inputs["start"], "seed": inputs["payload_seed"], "words.ready": int(taken)}
        return {"words.valid": int(valid), "words.payload": self._words.step(words)["words.payload"]}


class StallingReceiverTwin:
    """A reader that stalls in some cycles."""

    def __init__(self):
        self._pattern = HostPatternTwin()

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``blocked``, ``ready`` and those of the pattern."""
        holds = self._pattern.step(inputs)["holds"]
        return {"ready": int(not holds and not inputs["blocked"])}
