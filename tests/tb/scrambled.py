"""Verilog whose registers and memories begin with random values, as on devices without power-up values."""

import random
import re

_REGISTER = re.compile(r"^(  initial \S+ +)= (\d+)'h[0-9a-fxz]+;$", re.MULTILINE)
_WORD = re.compile(r"^(    (\S+)\[\d+\] = )(\d+)'h[0-9a-fxz]+;$", re.MULTILINE)
_MODULE = re.compile(r"(?m)^(?=module )")


def scrambled(verilog: str, seed: int) -> str:
    """The same modules, in which each register has a random value before the first reset, and so has each word of a
    memory that is written; memories without a write port are tables and stay.
    """
    numbers = random.Random(seed)
    changed = "".join(_scrambled_module(module, numbers) for module in _MODULE.split(verilog))
    if changed == verilog:
        raise ValueError("Verilog must have registers with a value to begin with")
    return changed


def _scrambled_module(module: str, numbers: random.Random) -> str:
    def anything(bits: str) -> str:
        return f"{bits}'h{numbers.getrandbits(int(bits)):x};"

    def word(match: re.Match[str]) -> str:
        written = re.search(rf"^\s+(if \(.*\) )?{re.escape(match[2])}\[.*\] <=", module, re.MULTILINE)
        return match[1] + anything(match[3]) if written else match[0]

    return _WORD.sub(word, _REGISTER.sub(lambda match: f"{match[1]}= {anything(match[2])}", module))
