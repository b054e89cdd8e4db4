"""Inputs and results of a run of rule-breaking neighbours; importable without a simulator."""

from dataclasses import dataclass

JOB_VARIABLE = "HYDRANOC_FUZZ"


@dataclass(frozen=True)
class SoundWorm:
    """A worm that keeps all rules.

    Members
    -------
    header : tuple of int
        Data of its header flits.
    outputs : int
        Mask of outputs.
    all_outputs : bool
        It is sent to all of them, unaltered; otherwise to any one.
    """

    header: tuple[int, ...]
    outputs: int
    all_outputs: bool


@dataclass(frozen=True)
class FuzzJob:
    """Parameters of a router for the bench.

    Members
    -------
    flit_bits : int
    worms : tuple of tuple of SoundWorm
        Sound worms by input.
    outputs : int
        Outputs of the router.
    header_changes : bool
        A router may modify headers, so that only bodies are unaltered.
    most_body_flits : int
        Longest body of a sound worm.
    quiet_cycles : int
        Cycles without output after which all worms have come out.
    sequences : int
        Rule-breaking sequences; sound worms follow each of them.
    resets : bool
        Reset the router after each sequence, instead of ending open worms with a tail.
    stalls : bool
        Neighbours may assert back-pressure.
    seed : int
    result : str
        File for the report: empty if all went well.
    longest_worm : int
        Flits of the longest worm that may come out; 0 if there is no limit.
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
