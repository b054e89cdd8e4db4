"""Damage to input: odd values, and mutations of bytes, words, and trees."""

import bz2
import copy
import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

_NUMBERS = (
    *("0", "-1", "-0", "1", "2", "3", "5", "7", "9", "+5", "007", "1.0", "0.5", "-0.5", ".5", "5.", "1e-300", "1e-320"),
    *("1e3", "1e18", "1e308", "1e400", "-1e400", "nan", "NaN", "inf", "-inf", ".nan", ".inf", "-.inf", "infinity"),
    *(str(2**31), str(2**32), str(2**53 + 1), str(2**63 - 1), str(2**63), str(2**64), str(-(2**63) - 1), str(10**12)),
    *(str(10**15), str(10**18), str(10**25), "9" * 400, "9" * 5000, "-" + "9" * 5000, "0" * 5000 + "1"),
    *("1_0", "0x10", "0X1", "0o17", "0b101", "1e", "1,5", "1 000", "5b", "5%", "1/2", "--1", "1.2.3"),
    *("\u0661\u0662", "\u00b2", "\u2460", "\uff15", "\u0be7", "\u2155"),
)
_WORDS = (
    *("", " ", "~", "null", "true", "false", "yes", "off", "None", "a", "s0", "p0", "up", "branch", "wrap", "uniform"),
    *("\u00e9", "e\u0301", "\u65e5\u672c", "\U0001f40d", "\u202eabc", "\u200b", "\ufeff", "\u2028", "\x85", "\xa0"),
    *("\x00", "\x01", "\x1b[31m", "\x7f", "\x0b", "\x0c", "\r", "\n", "\t", "a\tb", "a\nb"),
    *("a" * 300, "a" * 5000, "a b", "a:b", "a: b", "a#b", "#", "# a", "'", '"', '""', "'a", '"a', "\\", "\\x", "%s"),
    *("{rank}", "{0}", "{}", "[]", "{", "}", "[", "]", ",", ";", ":", "=", "- ", "-", "--", "|", ">", "&a", "*a", "<<"),
    *("!!python/object/apply:os.getcwd []", "!a", "2001-01-01", "2001-99-99", "12:30:45", "1:2:3", "=1+1", "@a", "`a`"),
    *("/dev/null", "/dev/zero", "/proc/self/mem", "/", ".", "..", "../x", "missing.csv", "a/b", "results", "~root"),
    *("&amp;", "&a;", "<", ">", "<!--", "]]>", "<?xml?>", "$HOME", "`id`", "%00", "con", "__class__", "os:getcwd"),
)

ODD_TEXT = (*_NUMBERS, *_WORDS)
ODD_WORDS = tuple(text for text in ODD_TEXT if text and not text.isspace())


def _nested(depth: int, mapping: bool) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if mapping else [value]
    return value


ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, 5, 7, 9, -1, -7, 0.0, -0.0, 0.5, 1.0, 1e-300, 5e-324, 1e308),
    *(float("nan"), float("inf"), float("-inf"), 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63) - 1),
    *(10**9, 10**12, 10**15, 10**18, 10**40, 10**300, 10**400),
    *([], {}, [[]], [{}], [None], [1], [0, 1], [1, 2, 3], {"a": 1}, {"kind": "a"}, {1: 0.5, 2: 0.5}, {10**9: 1.0}),
    *([0] * 300, [3, 3], [[0, 1], [1, 0]], {str(key): key for key in range(200)}),
    *(_nested(50, True), _nested(50, False), _nested(99, False), _nested(150, True)),
    *ODD_TEXT,
)

odd_text = st.sampled_from(ODD_TEXT)
odd_words = st.sampled_from(ODD_WORDS)
odd_values = st.sampled_from(ODD_VALUES)


_CHUNKS = (
    *(b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b"\r\n", b"\r", b"\n", b"\n\n\n", b"\t", b" ", b"\x1a", b"\x1b[2J", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0c"),
    *(b"\x80" * 10, b"\xff" * 10, b"\x00" * 300, b"a" * 3000, b"9" * 5000, b"[" * 400, b"(" * 400, b"<a>" * 300),
    *(b'"', b"'", b"#", b"&a ", b"*a", b"- ", b": ", b"<!DOCTYPE a>", b"%PDF", b"PK\x03\x04", b"\x1f\x8b"),
)


def _flip(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    data[_place(draw, data)] ^= 1 << draw(st.integers(0, 7))
    return bytes(data)


def _set(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    data[_place(draw, data)] = draw(st.sampled_from((0, 1, 0x20, 0x2D, 0x30, 0x39, 0x7F, 0x80, 0xFE, 0xFF)))
    return bytes(data)


def _cut(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    return bytes(data[: _place(draw, data)])


def _remove(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    begin = _place(draw, data)
    del data[begin : begin + draw(st.integers(1, 40))]
    return bytes(data)


def _repeat(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    begin, size = _place(draw, data), draw(st.integers(1, 60))
    data[begin:begin] = data[begin : begin + size] * draw(st.integers(1, 9))
    return bytes(data)


def _insert(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    begin = _place(draw, data)
    data[begin:begin] = draw(st.sampled_from(_CHUNKS))
    return bytes(data)


def _splice(draw: DrawFn, data: bytearray, others: Sequence[bytes]) -> bytes:
    other = draw(st.sampled_from(others)) or b"\0"
    return bytes(data[: _place(draw, data)]) + other[draw(st.integers(0, len(other) - 1)) :]


def _swap(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    a, b = sorted((_place(draw, data), _place(draw, data)))
    return bytes(data[b:] + data[a:b] + data[:a])


def _lines(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    return bytes(data).replace(b"\n", draw(st.sampled_from((b"\r\n", b"\r", b"", b"\n\n", b"\n\t", b" \n", b"\n\x00"))))


def _whole(draw: DrawFn, data: bytearray, _others: Sequence[bytes]) -> bytes:
    """The file in another encoding, as tools leave it."""
    content = bytes(data)
    return draw(
        st.sampled_from(
            (
                *(b"", b"\n", b"\x00", b"\xef\xbb\xbf" + content, b"\xff\xfe" + content, content + b"\x00" * 9),
                *(content.decode("latin-1").encode("utf-16"), content.decode("latin-1").encode("utf-32"), content * 2),
                *(gzip.compress(content, 1, mtime=0), bz2.compress(content, 1), zlib.compress(content), content[::-1]),
            )
        )
    )


_MUTATIONS: tuple[Callable[[DrawFn, bytearray, Sequence[bytes]], bytes], ...] = (
    *(_flip, _flip, _set, _set, _cut, _remove, _repeat, _insert, _insert, _splice, _swap, _lines, _whole),
)


def _place(draw: DrawFn, data: bytearray) -> int:
    if not data:
        data.extend(b"\0")
    return draw(st.integers(0, len(data) - 1))


@st.composite
def damaged(draw: DrawFn, samples: SearchStrategy[bytes], others: Sequence[bytes] = (b"",)) -> bytes:
    """A sample with one to three kinds of damage; ``others`` are candidates for splicing."""
    data = draw(samples)
    for _ in range(draw(st.integers(1, 3))):
        data = draw(st.sampled_from(_MUTATIONS))(draw, bytearray(data), others)
    return data


_WORD = re.compile(r"[^\s,;:=<>{}\[\]\"'/]+")


def _replace_word(draw: DrawFn, text: str) -> str:
    return _with_word(draw, text, lambda _: draw(odd_text))


def _swap_words(draw: DrawFn, text: str) -> str:
    words = list(dict.fromkeys(_WORD.findall(text)))
    return _with_word(draw, text, lambda _: draw(st.sampled_from(words)))


def _extend_word(draw: DrawFn, text: str) -> str:
    return _with_word(draw, text, lambda word: word + draw(odd_text))


def _rename(draw: DrawFn, text: str) -> str:
    """A word replaced by another one, everywhere."""
    words = list(dict.fromkeys(_WORD.findall(text)))
    return text.replace(draw(st.sampled_from(words)), draw(odd_text)) if words else text


def _with_word(draw: DrawFn, text: str, change: Callable[[str], str]) -> str:
    words = list(_WORD.finditer(text))
    if not words:
        return draw(odd_text)
    word = draw(st.sampled_from(words))
    return text[: word.start()] + change(word.group()) + text[word.end() :]


def _remove_line(draw: DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    del lines[draw(st.integers(0, len(lines) - 1))]
    return "".join(lines)


def _repeat_line(draw: DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    line = draw(st.sampled_from(lines))
    lines.insert(draw(st.integers(0, len(lines))), line * draw(st.sampled_from((1, 1, 2, 300))))
    return "".join(lines)


def _insert_line(draw: DrawFn, text: str) -> str:
    lines = text.splitlines(keepends=True)
    lines.insert(draw(st.integers(0, len(lines))), draw(odd_text) + "\n")
    return "".join(lines)


def _join_lines(draw: DrawFn, text: str) -> str:
    ends = [place for place, letter in enumerate(text) if letter == "\n"]
    if not ends:
        return text
    place = draw(st.sampled_from(ends))
    return text[:place] + draw(st.sampled_from((" ", "", ",", "\t", "\r", "\v"))) + text[place + 1 :]


def _remove_mark(draw: DrawFn, text: str) -> str:
    marks = [place for place, letter in enumerate(text) if not (letter.isalnum() or letter.isspace())]
    if not marks:
        return text
    place = draw(st.sampled_from(marks))
    return (
        text[:place]
        + draw(st.sampled_from(("", "", ",", ":", '"', "'", "<", "{", "}", "#", "&", "\x00")))
        + text[place + 1 :]
    )


_WORD_MUTATIONS: tuple[Callable[[DrawFn, str], str], ...] = (
    *(_replace_word, _replace_word, _replace_word, _swap_words, _swap_words, _extend_word, _rename),
    *(_remove_line, _repeat_line, _insert_line, _join_lines, _remove_mark),
)


@st.composite
def miswritten(draw: DrawFn, texts: SearchStrategy[str]) -> bytes:
    """A text with none to three mistakes, as UTF-8."""
    text = draw(texts)
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 1, 2, 2, 3)))):
        text = draw(st.sampled_from(_WORD_MUTATIONS))(draw, text)
    return text.encode("utf-8", "surrogatepass")


Place = tuple[Any, Any]
"""A list or mapping, and the index or key of a part."""


def _places(value: Any) -> Iterator[Place]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield value, key
        yield from _places(part)


class _Mistakes:
    """Mistakes in one document."""

    def __init__(self, draw: DrawFn, document: Any, keys: Sequence[str]):
        self._draw, self._keys, self._document = draw, keys, document

    def _place(self) -> Place | None:
        places = list(_places(self._document))
        return self._draw(st.sampled_from(places)) if places else None

    def make(self) -> None:
        place = self._place()
        if place is None:
            return
        kinds: tuple[Callable[[Any, Any], None], ...] = (
            *(self._value, self._value, self._value, self._value, self._remove, self._rename, self._add, self._copy),
            *(self._wrap, self._number),
        )
        self._draw(st.sampled_from(kinds))(*place)

    def _value(self, around: Any, key: Any) -> None:
        around[key] = copy.deepcopy(self._draw(odd_values))

    def _remove(self, around: Any, key: Any) -> None:
        del around[key]

    def _rename(self, around: Any, key: Any) -> None:
        if isinstance(around, dict):
            around[self._key()] = around.pop(key)

    def _add(self, around: Any, _key: Any) -> None:
        if isinstance(around, dict):
            around[self._key()] = copy.deepcopy(self._draw(odd_values))
        else:
            around.append(copy.deepcopy(self._draw(odd_values)))

    def _key(self) -> Any:
        return self._draw(st.sampled_from(self._keys) | odd_text)

    def _copy(self, around: Any, key: Any) -> None:
        """One part in two places, which YAML writes with an anchor and an alias."""
        other = self._place()
        if other is not None and id(other[0][other[1]]) not in {id(around), *map(id, _inside(around[key]))}:
            around[key] = (
                copy.deepcopy(other[0][other[1]]) if _holds(other[0][other[1]], around) else other[0][other[1]]
            )

    def _wrap(self, around: Any, key: Any) -> None:
        around[key] = self._draw(st.sampled_from(([around[key]], {"a": around[key]}, str(around[key]))))

    def _number(self, around: Any, key: Any) -> None:
        """A number close to the right one."""
        if isinstance(around[key], int | float) and not isinstance(around[key], bool):
            around[key] = self._draw(
                st.sampled_from((around[key] + 1, around[key] - 1, -around[key], float(around[key])))
            )


def _inside(value: Any) -> Iterator[Any]:
    yield value
    for around, key in _places(value):
        yield around[key]


def _holds(value: Any, part: Any) -> bool:
    return any(inside is part for inside in _inside(value))


@st.composite
def mistaken(draw: DrawFn, documents: SearchStrategy[Any], keys: Sequence[str]) -> Any:
    """A document with none to three mistakes."""
    document = copy.deepcopy(draw(documents))
    mistakes = _Mistakes(draw, document, keys)
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2, 3)))):
        mistakes.make()
    return document
