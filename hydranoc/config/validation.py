"""Conversion of pydantic's errors into one line with file, line, value and limit or fix."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, Self, TypeVar, cast

from hydranoc.config.source import KeyPath, Source, name_of
from hydranoc.errors import ConfigError, nearest, shown


class ValidatedModel(Protocol):
    """A section, or a model of pydantic."""

    @classmethod
    def model_validate(cls, given: Any, /) -> Self:
        """Return the model of a mapping; raise pydantic.ValidationError for a wrong one."""
        ...


Model = TypeVar("Model", bound=ValidatedModel)

_TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "finite_number": "a finite number",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
    "greater_than": ("greater than", "gt"),
    "less_than": ("less than", "lt"),
}


Hint = Callable[[str], str]


def _no_hint(_key: str) -> str:
    return ""


def validate(source: Source, key_path: KeyPath, model: type[Model], hint: Hint = _no_hint) -> Model:
    """Return the part of a file at ``key_path`` as a ``model``.

    Parameters:
        key_path (tuple of str or int)
        model (type)
        hint (callable): (unknown key of the model) -> the end of the error line; empty for the nearest known keys.

    Raises:
        ConfigError: For the first error, in the order of the file.
    """
    value: Any = source.data
    for step in key_path:
        value = value[step]
    try:
        return model.model_validate(value)
    except ValueError as error:  # pydantic's ValidationError, which is loaded when it is raised
        details = _first_of_each_list(cast(Any, error).errors(include_url=False))
        found = [_config_error(source, key_path, model, value, dict(detail), hint) for detail in details]
        raise min(found, key=lambda config_error: config_error.line or 0) from None


def _first_of_each_list(details: Iterable[Any]) -> Iterator[Any]:
    """Yield the errors of the first wrong item of every key: all items of a long list may have the same error."""
    first: dict[Any, Any] = {}
    for detail in details:
        location = (*detail["loc"], None, None)
        item = location[1] if isinstance(location[1], int) else None
        if first.setdefault(location[0], item) == item:
            yield detail


def choose(source: Source, key_path: KeyPath, key: str, choices: Iterable[str]) -> str:
    """Return the value of a key that must be one of several words.

    Raises:
        ConfigError: If the key is missing or its value is none of the choices.
    """
    section: Any = source.data
    for step in key_path:
        section = section[step]
    if key not in section:
        raise source.error(key_path, f"key {key!r} is missing in {name_of(key_path)}; it must be {_either(choices)}")
    if not any(section[key] == choice for choice in choices):  # those of the project come first
        hint = nearest(section[key], choices)
        raise source.error(
            (*key_path, key),
            f"{name_of((*key_path, key))} is {shown(section[key])}; it must be {_either(choices)}{hint}",
        )
    return section[key]


def _config_error(
    source: Source, key_path: KeyPath, model: Any, value: Any, detail: Mapping[str, Any], hint: Hint
) -> ConfigError:
    inside = _real_steps(value, detail["loc"], missing=detail["type"] == "missing")
    full = (*key_path, *inside)
    if detail["type"] == "missing":
        return source.error(full[:-1], f"key {full[-1]!r} is missing{_within(full[:-1])}")
    if detail["type"] == "union_tag_invalid":
        return _kind_error(source, full, detail)
    if detail["type"] in ("extra_forbidden", "invalid_key"):
        known = _known_keys(model, inside, value)
        ending = (len(inside) == 1 and hint(str(full[-1]))) or nearest(full[-1], known) or _known(known)
        return source.error(full, f"unknown key {full[-1]!r}{_within(full[:-1])}{ending}")
    return source.error(full, f"{name_of(full)} is {shown(detail['input'])}; it must be {_right(detail)}")


def _kind_error(source: Source, full: KeyPath, detail: Mapping[str, Any]) -> ConfigError:
    """Return the error for a mapping with a wrong or missing key ``kind``."""
    kinds = [tag for tag in detail["ctx"]["expected_tags"].replace("'", "").split(", ") if tag != "name"]
    if "kind" not in detail["input"]:
        return source.error(full, f"key 'kind' is missing in {name_of(full)}; it must be {_either(kinds)}")
    given = detail["input"]["kind"]
    text = f"{name_of((*full, 'kind'))} is {shown(given)}; it must be {_either(kinds)}{nearest(given, kinds)}"
    return source.error((*full, "kind"), text)


def _real_steps(value: Any, location: tuple[str | int, ...], *, missing: bool) -> tuple[str | int, ...]:
    """Return pydantic's location without the names of union members, which are not in the file."""
    steps: list[str | int] = []
    for position, told in enumerate(location):
        step = _as_given(value, told)
        if _has(value, step):
            value = value[step]
            steps.append(step)
        elif missing and position == len(location) - 1:
            steps.append(step)
    return tuple(steps)


def _as_given(value: Any, step: str | int) -> str | int:
    """Return a key as given in a mapping: pydantic reports numbers beyond 64 bits as text."""
    if not isinstance(value, dict) or step in value:
        return step
    return next((key for key in value if isinstance(key, int) and str(key) == step), step)


def _has(value: Any, step: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def _known_keys(model: Any, inside: tuple[str | int, ...], value: Any) -> list[str]:
    """Return the allowed keys of the mapping around a place."""
    for step in inside[:-1]:
        value = value[step]
        if isinstance(step, str):
            model = _nested(model, step, value) or model
    return list(model.model_fields)


def _nested(model: Any, key: str, value: Any) -> Any:
    """Return the model inside the annotation of a field; of several the one of the value's kind."""
    pending, found = [model.model_fields[key].annotation], []
    while pending:
        annotation = pending.pop()
        if hasattr(annotation, "model_fields"):
            found.append(annotation)
        pending.extend(getattr(annotation, "__args__", ()))
    kind = value.get("kind") if isinstance(value, dict) else None
    of_kind = [each for each in found if "kind" in each.model_fields and _is_kind(each, kind)]
    return next(iter(of_kind or found), None)


def _is_kind(model: Any, kind: Any) -> bool:
    return kind in getattr(model.model_fields["kind"].annotation, "__args__", ())


def _right(detail: Mapping[str, Any]) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if isinstance(detail["input"], float) and math.isnan(detail["input"]):
        return _TYPES["finite_number"]  # no bound explains .nan
    if kind in _BOUNDS:
        word, key = _BOUNDS[kind]
        return f"{word} {context[key]:g}" if isinstance(context[key], float) else f"{word} {context[key]}"
    if kind == "literal_error":
        return str(context["expected"])
    if kind in ("too_short", "too_long"):
        exact = "at least" if kind == "too_short" else "at most"
        what = "mapping" if context.get("field_type") == "Dictionary" else "list"
        return f"a {what} of {exact} {context.get('min_length', context.get('max_length'))}"
    return _TYPES[kind] if kind in _TYPES else str(detail["msg"])


def _within(key_path: KeyPath) -> str:
    return f" in {name_of(key_path)}" if key_path else ""


def _either(choices: Iterable[str]) -> str:
    words = list(choices)
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _known(known: Iterable[str]) -> str:
    return f"; known keys are {', '.join(known)}"
