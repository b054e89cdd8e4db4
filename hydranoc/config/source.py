"""Source of a configuration: a YAML file with the line of every key and item, or a dictionary."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from hydranoc.config.named_files import NamedFiles
from hydranoc.config.yaml_values import DEEPEST, ValueWrong, YamlValues
from hydranoc.errors import ConfigError, file_error, reason, shown
from topology.common.errors import MachineTrouble

KeyPath = Sequence[str | int]
"""Keys and list positions from the top of a file, such as ``("traffic", "messages", 3, "flits")``."""

MAX_MEGABYTES = 64


class Source(ABC):
    """A configuration before it is checked.

    Members:
        path: File names in it are relative to this one's folder.
        file: File for messages; None for a dictionary.
        data: Its content as plain Python values.
        files: Files that it names.
        former: Keys and values given by former names, each with its present name.
    """

    path: Path
    file: Path | None = None
    data: dict[str, Any]

    @cached_property
    def files(self) -> NamedFiles:
        return NamedFiles(self.path.parent)

    @cached_property
    def former(self) -> list[str]:
        return []

    def rename(self, key_path: KeyPath, old: str, new: str) -> None:
        """Give a key of the mapping at a place another name."""
        node: Any = self.data
        for step in key_path:
            node = node[step]
        for names in (node, self.lines_of(node)):
            if old in names:
                names[new] = names.pop(old)

    @abstractmethod
    def error(self, key_path: KeyPath, message: str) -> ConfigError:
        """Return an error about the value at a place."""

    def lines_of(self, _node: Any) -> dict[str, int]:
        """Return the lines of a mapping by key; nothing where there are no lines."""
        return {}

    @abstractmethod
    def line_of(self, key_path: KeyPath) -> int | None:
        """Return the line of a key or list item; None where there are no lines."""

    def find(self, key_path: KeyPath, text: str) -> KeyPath | None:
        """Return the place of the last value under ``key_path`` that reads ``text``, such as ``[0, 5]`` or ``s3``."""
        value: Any = self.data
        for step in key_path:
            value = value[step]
        return _find(value, tuple(key_path), text)


class GivenSource(Source):
    """A dictionary with the content of a configuration file.

    Parameters:
        data: Is copied, see ``separate_copy``.
        folder: File names in it are relative to this folder.
        name: For results.
    """

    def __init__(self, data: Mapping[str, Any], folder: Path = Path(), name: str = "configuration"):
        self.path = folder / f"{name}.yaml"
        self.data = separate_copy(data)

    def error(self, key_path: KeyPath, message: str) -> ConfigError:
        """Return an error without a line: the message names the place in words."""
        name = name_of(key_path)
        return ConfigError(message if name in message else f"{name}: {message}")

    def line_of(self, key_path: KeyPath) -> None:
        """Return None: a dictionary has no lines."""


class YamlSource(Source):
    """A YAML file.

    Members:
        data (dict): Its content as plain Python values.

    Raises:
        ConfigError: If it cannot be read, is no YAML, has a key twice or is no mapping, contains a date, binary data or
            a tag, or is longer than any configuration, in the file or after expansion of its aliases.
    """

    def __init__(self, path: Path):
        self.path = self.file = path
        self._values = self._parsed(self._text())
        if not isinstance(self._values.data, dict):
            raise self.error((), "A configuration must be a mapping with the keys 'network' and 'traffic'")
        self.data = self._values.data

    def _text(self) -> str:
        try:
            with self.path.open("rb") as file:  # devices may have no end
                content = file.read(MAX_MEGABYTES * 10**6 + 1)
        except OSError as error:
            raise file_error("cannot read the configuration", error, self.path) from None
        except ValueError as error:
            raise ConfigError(f"cannot read the configuration: {reason(error)}") from None
        if len(content) > MAX_MEGABYTES * 10**6:
            text = f"A configuration must have at most {MAX_MEGABYTES} MB; more messages belong in a trace"
            raise ConfigError(text, file=self.path)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise ConfigError("A configuration must be UTF-8 text", file=self.path, line=line) from None

    def _parsed(self, text: str) -> YamlValues:
        try:
            return YamlValues(text)
        except ValueWrong as error:
            raise ConfigError(str(error), file=self.path, line=error.line) from None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            problem = error.problem or error.context or "unreadable"
            line = mark.line + 1 if mark else None
            raise ConfigError(f"not valid YAML: {problem}", file=self.path, line=line) from None
        except ReaderError as error:
            line = text.encode()[: error.position].count(b"\n") + 1
            raise ConfigError(f"not valid YAML: {error.reason}", file=self.path, line=line) from None

    def error(self, key_path: KeyPath, message: str) -> ConfigError:
        """Return an error about the value at a place."""
        return ConfigError(message, file=self.path, line=self.line_of(key_path))

    def lines_of(self, node: Any) -> dict[str, int]:
        """Return the lines of a mapping by key."""
        return self._values.lines_of(node)

    def line_of(self, key_path: KeyPath) -> int:
        """Return the line of a key or list item; that of the nearest enclosing item where there is none."""
        node, line = self._values.data, 1
        for step in key_path:
            try:
                line = self._values.lines_of(node)[step]
                node = node[step]
            except (KeyError, IndexError, TypeError):
                break
        return line


def unreadable(
    source: Source, key_path: KeyPath, what: str, error: OSError | ValueError
) -> ConfigError | MachineTrouble:
    """Return the exception for an unreadable file that a configuration names.

    Parameters:
        key_path (sequence of str): Place of its name.
        what: Description such as "trace 'a.csv'".
        error: The latter is about its name.
    """
    if isinstance(error, OSError):
        return file_error(f"cannot read {what}", error, source.file, line=source.line_of(key_path))
    return source.error(key_path, f"cannot read {what}: {reason(error)}")


def name_of(key_path: KeyPath) -> str:
    """Return a place in words, such as ``traffic.messages[3].flits``."""
    text = ""
    for step in key_path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text or "the configuration"


def separate_copy(value: Any, key_path: KeyPath = ()) -> Any:
    """Return a copy of dictionaries and lists in which no two places share a part, as those of YAML's aliases do.

    Parameters:
        value: Other mappings become dictionaries, tuples lists.
        key_path: Its place, for errors.

    Raises:
        ConfigError: If a key is no text, or for endless nesting.
    """
    if len(key_path) > DEEPEST:
        raise ConfigError(f"{name_of(key_path[:3])} is nested too deeply")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str | int) or isinstance(key, bool):
                raise ConfigError(f"a key in {name_of(key_path)} is {shown(key)}; it must be text")
        return {key: separate_copy(part, (*key_path, key)) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [separate_copy(part, (*key_path, position)) for position, part in enumerate(value)]
    return value


def _find(value: Any, key_path: KeyPath, text: str) -> KeyPath | None:
    if str(value) == text:
        return key_path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in reversed(list(items)):
        found = _find(part, (*key_path, key), text)
        if found:
            return found
    return None
