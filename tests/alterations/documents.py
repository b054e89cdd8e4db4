"""Alterations of the manifest and of the certificate: every key and item removed, doubled or changed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tests.alterations.hardware import Alteration
from tests.alterations.networks import Offer

Path = tuple[str | int, ...]
TWIN = "\u0000"
"""Ends the key of the second of two pairs with the same key, until all is text."""


def document_alterations(sound: Offer) -> Iterator[Alteration]:
    """All alterations of a network's manifest and certificate."""
    manifest, certificate = json.loads(sound.manifest), json.loads(sound.certificate)
    for kind, where, *put in _of(manifest):
        yield Alteration(f"manifest: {kind}", where, partial(_manifest, sound, manifest, put))
    for kind, where, *put in _of(certificate):
        yield Alteration(f"certificate: {kind}", where, partial(_certificate, sound, certificate, put))


def _manifest(sound: Offer, document: Any, put: Any) -> Offer:
    return replace(sound, manifest=_text(document, *put)).signed()


def _certificate(sound: Offer, document: Any, put: Any) -> Offer:
    return replace(sound, certificate=_text(document, *put))


def _of(document: Any) -> Iterator[tuple[str, str, Path, Any, bool]]:
    """Alteration, place, and the arguments of ``_text``."""
    for path, value in list(places(document)):
        where, key, other = ".".join(map(str, path)), path[-1], _changed(value)
        strange = None if isinstance(value, str) else "x"
        if isinstance(key, int):
            yield "item removed", where, path, [], False
            yield "item doubled", where, path, [value, value], False
        else:
            yield "key removed", where, path, {}, False
            yield "key doubled", f"{where}, the other one first", path, {key: other, key + TWIN: value}, False
            yield "key doubled", f"{where}, the other one last", path, {key: value, key + TWIN: other}, False
        if not isinstance(value, dict):
            yield "value changed", where, path, [other] if isinstance(key, int) else {key: other}, False
        yield "value of another type", where, path, [strange] if isinstance(key, int) else {key: strange}, False
    for path, value in [((), document), *places(document)]:
        where = ".".join(map(str, path))
        if isinstance(value, dict):
            yield "key added", f"{where}.more", path, {**value, "more": 0}, True
        elif isinstance(value, list) and len(value) > 1 and value != [*value[1:], value[0]]:
            yield "items in another order", where, path, [*value[1:], value[0]], True


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every key and item, with its value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key), inner
        yield from places(inner, (*path, key))


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


def _text(document: Any, path: Path, new: Any, whole: bool) -> str:
    """The result of ``put`` as JSON, in which keys that end in ``TWIN`` are duplicated."""
    return json.dumps(put(document, path, new, whole), indent=1).replace(json.dumps(TWIN)[1:-1], "") + "\n"


def put(value: Any, path: Path, new: Any, whole: bool = False) -> Any:
    """A document with pairs or items (``new``) in the place of one, or with a whole value replaced by ``new``."""
    if not path:
        return new
    at, rest = path[0], path[1:]
    if rest or whole:
        if isinstance(value, dict):
            return {**value, at: put(value[str(at)], rest, new, whole)}
        return [*value[: int(at)], put(value[int(at)], rest, new, whole), *value[int(at) + 1 :]]
    if isinstance(value, dict):
        pairs = [pair for key, inner in value.items() for pair in (new.items() if key == at else [(key, inner)])]
        return dict(pairs)
    return [*value[: int(at)], *new, *value[int(at) + 1 :]]
