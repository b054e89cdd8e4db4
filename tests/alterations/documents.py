"""Alterations of the manifest and of the certificate: every key and item removed, doubled or changed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.alterations.hardware import Alteration
from tests.alterations.networks import Offer

Path = tuple[str | int, ...]
TWIN = "\u0000"
"""Ends the key of the second of two pairs with the same key, until all is text."""


def document_alterations(sound: Offer) -> Iterator[Alteration]:
    """All alterations of a network's manifest and certificate."""
    manifest, certificate = json.loads(sound.manifest), json.loads(sound.certificate)
    for kind, where, text in _of(manifest):
        yield Alteration(f"manifest: {kind}", where, replace(sound, manifest=text).signed())
    for kind, where, text in _of(certificate):
        yield Alteration(f"certificate: {kind}", where, replace(sound, certificate=text))


def _of(document: Any) -> Iterator[tuple[str, str, str]]:
    for path, value in list(_places(document)):
        where = ".".join(map(str, path))
        if isinstance(path[-1], int):
            yield "item removed", where, _text(document, path, [])
            yield "item doubled", where, _text(document, path, [value, value])
        else:
            yield "key removed", where, _text(document, path, {})
            key, other = path[-1], _changed(value)
            yield "key doubled", f"{where}, the other one first", _text(document, path, {key: other, key + TWIN: value})
            yield "key doubled", f"{where}, the other one last", _text(document, path, {key: value, key + TWIN: other})
        if not isinstance(value, dict):
            changed = [_changed(value)] if isinstance(path[-1], int) else {path[-1]: _changed(value)}
            yield "value changed", where, _text(document, path, changed)
        of_other_type = ["x"] if isinstance(path[-1], int) else {path[-1]: None if isinstance(value, str) else "x"}
        yield "value of another type", where, _text(document, path, of_other_type)
    for path, value in [((), document), *_places(document)]:
        if isinstance(value, dict):
            yield (
                "key added",
                ".".join(map(str, (*path, "more"))),
                _text(document, path, {**value, "more": 0}, whole=True),
            )
        elif isinstance(value, list) and len(value) > 1:
            turned = [*value[1:], value[0]]
            if turned != value:
                yield "items in another order", ".".join(map(str, path)), _text(document, path, turned, whole=True)


def _places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every key and item, with what is there."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key), inner
        yield from _places(inner, (*path, key))


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return value[:-1] if value else ["x"]
    return {} if value else "x"


def _text(document: Any, path: Path, new: Any, *, whole: bool = False) -> str:
    """The document with pairs or items in the place of one, or with a whole value replaced."""
    return json.dumps(_put(document, path, new, whole), indent=1).replace(json.dumps(TWIN)[1:-1], "") + "\n"


def _put(value: Any, path: Path, new: Any, whole: bool) -> Any:
    if not path:
        return new
    at, rest = path[0], path[1:]
    if rest or whole:
        if isinstance(value, dict):
            return {**value, at: _put(value[str(at)], rest, new, whole)}
        return [*value[: int(at)], _put(value[int(at)], rest, new, whole), *value[int(at) + 1 :]]
    if isinstance(value, dict):
        pairs = [pair for key, inner in value.items() for pair in (new.items() if key == at else [(key, inner)])]
        return dict(pairs)
    return [*value[: int(at)], *new, *value[int(at) + 1 :]]
