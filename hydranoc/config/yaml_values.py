"""YAML as plain Python values with the line of every key and item.

Built from the parser's events, ten times as fast as a tree of nodes with comments, and without recursion, so that no
file can exhaust the stack. Aliases share one value; the size of their repetition is counted before use.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from hydranoc.errors import shown

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

    Raises:
        UnknownScalar: For dates, and for numbers that are too long.
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


DEEPEST = 100
"""Maximum nesting of lists and mappings."""
MAX_REPEATED_VALUES = 1_000_000
"""Maximum number of values that all aliases of a file repeat. A few lines of nested aliases could repeat billions."""
NO_KEY = object()
VALUE_KINDS = "a number, text, true or false, a list or a mapping"

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without LibYAML the same, slowly


class ValueWrong(ValueError):
    """Valid YAML that no configuration may contain.

    Parameters:
        line: Counted from 1.
    """

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


@dataclass
class _Open:
    """A list or mapping whose end has not been read.

    Members:
        value (list or dict)
        lines (list or dict of int): Line of every item, or of every key.
        line: Line of its beginning.
        anchor
        key, key_line: Key that waits for its value, in mappings.
        values: Number of its values, with those that aliases repeat.
        merged (list of dict): Mappings of its keys ``<<``.
    """

    value: Any
    lines: Any
    line: int
    anchor: str | None
    key: Any = NO_KEY
    key_line: int = 0
    values: int = 1
    merged: list[Any] = field(default_factory=list)


class YamlValues:
    """The single document of a YAML text.

    Members:
        data: Dictionaries, lists, text, numbers, truth values and None. Aliases share one object.

    Raises:
        yaml.YAMLError: If it is no YAML.
        ValueWrong: For tags, dates, keys that are no text, keys given twice, and aliases without end.
    """

    def __init__(self, text: str):
        self.data: Any = None
        self._lines: dict[int, Any] = {}  # by id of the list or mapping; all of them stay part of the data
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: list[_Open] = []
        self._documents = self._repeated = 0
        handlers = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._begin_mapping,
            yaml.SequenceStartEvent: self._begin_list,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        for event in yaml.parse(text, Loader=_LOADER):
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)

    def lines_of(self, value: Any) -> Any:
        """Return the lines of a list's items, or by key those of a mapping; nothing for other values."""
        return self._lines[id(value)] if isinstance(value, list | dict) else {}

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise ValueWrong("not valid YAML: expected a single document", event.start_mark.line + 1)

    def _scalar(self, event: Any) -> None:
        line = event.start_mark.line + 1
        _refuse_tag(event, line)
        value: Any = event.value
        if event.implicit[0]:
            try:
                value = plain_scalar(value)
            except UnknownScalar as error:
                raise ValueWrong(str(error), line) from None
        if value is MERGE and not self._expects_key():
            value = event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._put(value, line, 1)

    def _begin_mapping(self, event: Any) -> None:
        self._begin(event, {}, {})

    def _begin_list(self, event: Any) -> None:
        self._begin(event, [], [])

    def _begin(self, event: Any, value: Any, lines: Any) -> None:
        line = event.start_mark.line + 1
        _refuse_tag(event, line)
        if self._expects_key():
            raise ValueWrong(f"a key must be text, not a {'mapping' if isinstance(value, dict) else 'list'}", line)
        if len(self._open) == DEEPEST:
            raise ValueWrong("not valid YAML: nested too deeply", line)
        self._lines[id(value)] = lines
        self._open.append(_Open(value, lines, line, event.anchor))

    def _end(self, _event: Any) -> None:
        done = self._open.pop()
        for other in done.merged:
            for key in other.keys() - done.value.keys():
                done.value[key], done.lines[key] = other[key], self._lines[id(other)][key]
        if done.anchor is not None:
            self._anchors[done.anchor] = (done.value, done.values)
        self._put(done.value, done.line, done.values)

    def _alias(self, event: Any) -> None:
        line, name = event.start_mark.line + 1, event.anchor
        if any(part.anchor == name for part in self._open):
            raise ValueWrong(f"alias *{name} must stand behind what it repeats, not inside of it", line)
        if name not in self._anchors:
            raise ValueWrong(f"alias *{name} has no anchor &{name} before it", line)
        value, values = self._anchors[name]
        self._repeated += values
        if self._repeated > MAX_REPEATED_VALUES:
            text = f"aliases must repeat at most {MAX_REPEATED_VALUES:,} values in all, not {self._repeated:,} and more"
            raise ValueWrong(text, line)
        self._put(value, line, values)

    def _expects_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, dict) and self._open[-1].key is NO_KEY

    def _put(self, value: Any, line: int, values: int) -> None:
        """Store a complete value: the document, an item, a key, or the value of a key."""
        if not self._open:
            self.data = value
            return
        around = self._open[-1]
        around.values += values
        if isinstance(around.value, list):
            around.value.append(value)
            around.lines.append(line)
        elif around.key is NO_KEY:
            around.key, around.key_line = _checked_key(value, around.value, line), line
        else:
            key, around.key = around.key, NO_KEY
            if key is MERGE:
                around.merged += _mappings(value, line)
            else:
                around.value[key], around.lines[key] = value, around.key_line


def _refuse_tag(event: Any, line: int) -> None:
    if event.tag is not None:
        raise ValueWrong(f"a value must be {VALUE_KINDS}, not one with the YAML tag {event.tag!r}", line)


def _checked_key(key: Any, others: dict[Any, Any], line: int) -> Any:
    if key is not MERGE and (not isinstance(key, str | int) or isinstance(key, bool)):
        raise ValueWrong(f"a key is {shown(key)}; it must be text", line)
    if key in others:
        raise ValueWrong(f"key {shown(key)} is given twice", line)
    return key


def _mappings(value: Any, line: int) -> list[dict[Any, Any]]:
    """Return the mappings of a key ``<<``: one, or a list of them."""
    mappings = value if isinstance(value, list) else [value]
    if not all(isinstance(mapping, dict) for mapping in mappings):
        raise ValueWrong(f"<< is {shown(value)}; it must be a mapping or a list of mappings", line)
    return mappings
