"""Values of words without quotes in YAML 1.2: text, a number, true or false, or null."""

import re
from typing import Any

MAX_NUMBER_BITS = 1024
"""Bits of the longest number; longer ones are wrong everywhere, and too long to be printed."""
MAX_NUMBER_LETTERS = 2000
MERGE = object()
"""The key ``<<``."""

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    "<<": MERGE,
}
_BEGIN_NUMBERS = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?)")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?")
_BASES = {"0b": 2, "0o": 8, "0x": 16}


class UnknownScalar(ValueError):
    """A word that no configuration may contain; the message has the reason."""


def plain_scalar(text: str) -> Any:
    """Return the value of a word without quotes.

    Raises
    ------
    UnknownScalar
        For dates, and for numbers that are too long.
    """
    if text[:1] not in _BEGIN_NUMBERS:
        return _WORDS.get(text, text)
    if len(text) > MAX_NUMBER_LETTERS and _INTEGER.fullmatch(text):
        raise UnknownScalar(f"a whole number must have at most {MAX_NUMBER_BITS} bits")
    if _INTEGER.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", "").lower())
    if _DATE.fullmatch(text):
        raise UnknownScalar(f"a value must be a number, text, true or false, a list or a mapping, not the date {text}")
    return _WORDS.get(text, text)


def _integer(text: str) -> int:
    digits = text.replace("_", "").lstrip("+-")
    base = _BASES.get(digits[:2], 10)
    number = int(digits if base == 10 else digits[2:] or "0", base)
    if number.bit_length() > MAX_NUMBER_BITS:
        raise UnknownScalar(f"a whole number must have at most {MAX_NUMBER_BITS} bits")
    return -number if text.startswith("-") else number
