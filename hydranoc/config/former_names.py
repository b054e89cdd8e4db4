"""Former names of keys and values: accepted, and replaced by the present ones before a section is checked."""

from typing import Any

from hydranoc.config.schema import NetworkSection
from hydranoc.config.source import KeyPath, Source, name_of


def rename_former(source: Source, key_path: KeyPath, section: type[NetworkSection]) -> None:
    """Replace former keys and values in one mapping of a source, and note each in ``source.former``.

    Raises:
        ConfigError: If a key is given under both names.
    """
    given: Any = source.data
    for step in key_path:
        given = given[step]
    for former, key in section.FORMER_KEYS.items():
        if former not in given:
            continue
        place = name_of((*key_path, former))
        if key in given:
            text = f"{place} is given besides {key}; it is the former name of that key and must be left out"
            raise source.error((*key_path, former), text)
        source.rename(key_path, former, key)
        source.former.append(f"{place} is now {key}")
    for key, values in section.FORMER_VALUES.items():
        former = given.get(key)
        if isinstance(former, str) and former in values:
            given[key] = values[former]
            source.former.append(f"{name_of((*key_path, key))}: {former} is now {values[former]}")
