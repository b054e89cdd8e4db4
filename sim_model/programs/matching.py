"""Matching of receipts and messages, in order among those that agree in sender, receiver and tag."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from sim_model.programs.program import Need, Operation, ProgramError


class Matching:
    """Sends and receipts of a program, added in the order of the file.

    Parameters:
        operations: The program so far; receipts get a need each.
    """

    def __init__(self, operations: Sequence[Operation]):
        self._operations = operations
        self._sends: dict[Hashable, list[int]] = defaultdict(list)
        self._receipts: dict[Hashable, list[int]] = defaultdict(list)

    def send(self, position: int, key: Hashable) -> None:
        """Add a send, which a receipt with an equal key matches."""
        self._sends[key].append(position)

    def receipt(self, position: int, key: Hashable) -> None:
        """Add a receipt, which ends when its message has arrived."""
        self._receipts[key].append(position)

    def finish(self) -> None:
        """Let receipts wait for their messages; to be called once, at the end.

        Raises:
            ProgramError: For the first receipt without a message or message without a receipt, and for a message that
                is longer than its receipt allows.
        """
        for key, receipts in self._receipts.items():
            sends = self._sends.get(key, [])
            if len(sends) < len(receipts):
                raise self._lonely(receipts[len(sends)], "no message is sent to it")
            for send, receipt in zip(sends, receipts, strict=False):
                self._check_size(send, receipt)
                self._operations[receipt].needs.append(Need(send))
        for key, sends in self._sends.items():
            received = len(self._receipts.get(key, []))
            if received < len(sends):
                raise self._lonely(sends[received], "no receipt matches its message")

    def _lonely(self, position: int, problem: str) -> ProgramError:
        operation = self._operations[position]
        return ProgramError(f"{operation.name}: {problem}", operation.line)

    def _check_size(self, send: int, receipt: int) -> None:
        sent, room = self._operations[send], self._operations[receipt]
        if sent.size_bytes > room.size_bytes:
            text = f"{room.name} must have room for the {sent.size_bytes} bytes of {sent.name}, not for"
            raise ProgramError(f"{text} {room.size_bytes}", room.line)
