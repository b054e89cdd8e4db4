"""Damage to bytes: flips, splices, truncations, and the changes of editors and transfers."""

import bz2
import gzip
import zlib
from collections.abc import Callable, Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

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
