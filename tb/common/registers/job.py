"""Inputs of the bench of a network's registers; importable without a simulator."""

from dataclasses import dataclass
from typing import Any

JOB_VARIABLE = "HYDRANOC_REGISTER_JOB"


@dataclass(frozen=True)
class Worm:
    """A message of processor 0.

    Members:
        header: Its header flits, packed.
        header_flits, flits (int): Length of the header, and of the whole message.
    """

    header: int
    header_flits: int
    flits: int


@dataclass(frozen=True)
class RegisterJob:
    """A network with registers, and its parameters for the bench.

    Members:
        registers: The entry ``registers`` of the manifest.
        channel: Injection channel of processor 0.
        lost: An unroutable worm.
        good: A worm that reaches ``destination``.
        long: Like ``good``, but longer than the watchdog's limit, if there is one.
        destination
        delivery_channel: Channel into that processor.
        table_words: Words to be loaded; empty if tables are constants.
    """

    registers: dict[str, Any]
    channel: int
    lost: Worm
    good: Worm
    long: Worm
    destination: int
    delivery_channel: int
    table_words: tuple[int, ...] = ()
