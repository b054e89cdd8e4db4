"""A YAML file with the line of every key and item."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq, TaggedScalar
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError

from hydranoc.errors import ConfigError, file_error, shown

KeyPath = Sequence[str | int]
"""Keys and list positions from the top of a file, such as ``("traffic", "messages", 3, "flits")``."""

LONGEST_NUMBER_BITS = 1024
"""Longer numbers are wrong everywhere, and too long to be printed."""


class YamlSource:
    """A YAML file.

    Parameters
    ----------
    path : Path

    Members
    -------
    data : dict
        Its content as plain Python values.

    Raises
    ------
    ConfigError
        If it cannot be read, is no YAML, has a key twice or is no mapping, or holds a date, binary data or a tag.
    """

    def __init__(self, path: Path):
        self.path = path
        self._marked = self._load()
        if not isinstance(self._marked, CommentedMap):
            raise self.error((), "A configuration must be a mapping with the keys 'network' and 'traffic'")
        self.data: dict[str, Any] = self._plain(self._marked, ())

    def _load(self) -> Any:
        try:
            text = self.path.read_text(encoding="utf-8")
        except OSError as error:
            raise file_error("cannot read the configuration", error, self.path) from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise ConfigError("A configuration must be UTF-8 text", file=self.path, line=line) from None
        try:
            return YAML(typ="rt").load(text)
        except DuplicateKeyError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else None
            key = str(error.problem).split('"')[1] if '"' in str(error.problem) else ""
            raise ConfigError(f"key {key!r} is given twice", file=self.path, line=line) from None
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            problem = error.problem or error.context or "unreadable"
            raise ConfigError(
                f"not valid YAML: {problem}", file=self.path, line=mark.line + 1 if mark else None
            ) from None
        except ReaderError as error:
            line = text[: error.position].count("\n") + 1
            raise ConfigError(f"not valid YAML: {error.reason}", file=self.path, line=line) from None
        except (YAMLError, ValueError) as error:  # a number of thousands of digits is a ValueError
            raise ConfigError(f"not valid YAML: {str(error).partition(';')[0]}", file=self.path) from None
        except RecursionError:
            raise ConfigError("not valid YAML: nested too deeply", file=self.path) from None

    def _plain(self, value: Any, key_path: tuple[str | int, ...]) -> Any:
        """YAML's own number, text and collection types turned into Python's."""
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, str | int) or isinstance(key, bool):
                    raise self.error((*key_path, key), f"a key must be text, not {shown(key)}")
            return {key: self._plain(part, (*key_path, key)) for key, part in value.items()}
        if isinstance(value, list):
            return [self._plain(part, (*key_path, position)) for position, part in enumerate(value)]
        if isinstance(value, int) and value.bit_length() > LONGEST_NUMBER_BITS:
            raise self.error(key_path, f"a whole number must have at most {LONGEST_NUMBER_BITS} bits")
        for kind in (bool, int, float, str):
            if isinstance(value, kind):
                return kind(value)
        if value is not None:
            text = f"{value.tag.value} {value.value}" if isinstance(value, TaggedScalar) else str(value)
            raise self.error(
                key_path, f"a value must be a number, text, true or false, a list or a mapping, not {text}"
            )
        return None

    def error(self, key_path: KeyPath, message: str) -> ConfigError:
        """An error about the value at a place."""
        return ConfigError(message, file=self.path, line=self.line_of(key_path))

    def line_of(self, key_path: KeyPath) -> int:
        """Line of a key or list item; of the nearest thing around it where there is none."""
        node, line = self._marked, 1
        for step in key_path:
            try:
                if isinstance(node, CommentedMap):
                    line = node.lc.key(step)[0] + 1
                elif isinstance(node, CommentedSeq):
                    line = node.lc.item(step)[0] + 1
                node = node[step]
            except (KeyError, IndexError, TypeError):
                break
        return line

    def find(self, key_path: KeyPath, text: str) -> KeyPath | None:
        """Place of the last value under ``key_path`` that reads ``text``, such as ``[0, 5]`` or ``s3``."""
        value: Any = self.data
        for step in key_path:
            value = value[step]
        return _find(value, tuple(key_path), text)


def _find(value: Any, key_path: KeyPath, text: str) -> KeyPath | None:
    if str(value) == text:
        return key_path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in reversed(list(items)):
        found = _find(part, (*key_path, key), text)
        if found:
            return found
    return None
