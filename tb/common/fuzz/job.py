"""Inputs and results of a run of rule-breaking neighbours; importable without a simulator."""

from dataclasses import dataclass

JOB_VARIABLE = "HYDRANOC_FUZZ"


@dataclass(frozen=True)
class SoundWorm:
    """A worm that keeps all rules.

    Members:
        header: Data of its header flits.
        outputs: Mask of outputs.
        all_outputs: It is sent to all of them, unaltered; otherwise to any one.
    """

    header: tuple[int, ...]
    outputs: int
    all_outputs: bool


@dataclass(frozen=True)
class FuzzJob:
    """Parameters of a router for the bench.

    Members:
        flit_bits
        worms (tuple of tuple of SoundWorm): Sound worms by input.
        outputs: Outputs of the router.
        header_changes: A router may modify headers, so that only bodies are unaltered.
        most_body_flits: Longest body of a sound worm.
        quiet_cycles: Cycles without output after which all worms have come out.
        sequences: Rule-breaking sequences; sound worms follow each of them.
        resets: Reset the router after each sequence, instead of ending open worms with a tail.
        stalls: Neighbours may assert back-pressure.
        seed
        result: File for the report: empty if all went well.
        longest_worm: Flits of the longest worm that may come out; 0 if there is no limit.
    """

    flit_bits: int
    worms: tuple[tuple[SoundWorm, ...], ...]
    outputs: int
    header_changes: bool
    most_body_flits: int
    quiet_cycles: int
    sequences: int
    resets: bool
    stalls: bool
    seed: int
    result: str
    longest_worm: int = 0
