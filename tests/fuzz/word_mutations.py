"""Damage to text by its words and lines: typical mistakes of a writer who misunderstood the format."""

import re
from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.fuzz.odd_values import odd_text

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


_MUTATIONS: tuple[Callable[[DrawFn, str], str], ...] = (
    *(_replace_word, _replace_word, _replace_word, _swap_words, _swap_words, _extend_word, _rename),
    *(_remove_line, _repeat_line, _insert_line, _join_lines, _remove_mark),
)


@st.composite
def miswritten(draw: DrawFn, texts: SearchStrategy[str]) -> bytes:
    """A text with none to three mistakes, as UTF-8."""
    text = draw(texts)
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 1, 2, 2, 3)))):
        text = draw(st.sampled_from(_MUTATIONS))(draw, text)
    return text.encode("utf-8", "surrogatepass")
