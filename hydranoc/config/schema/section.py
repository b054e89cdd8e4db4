"""Mappings with known keys. Valid ones are checked without pydantic, which is loaded only to explain errors.

A section has that part of a pydantic model's interface that is used here. ``pydantic_models.py`` makes the model of a
section, which explains errors and has the JSON Schema.
"""

from collections.abc import Collection, Mapping
from inspect import get_annotations
from typing import Any, ClassVar, NamedTuple, Self, dataclass_transform, get_args, get_origin

from hydranoc.config.schema.checks import Check, NotSureError, check_of
from hydranoc.config.schema.fields import Field

REQUIRED: Any = ...
"""Marker in place of a default."""


class Key(NamedTuple):
    """A key of a section.

    Members:
        whole (type): Its annotation, with the terms besides the type.
        default: ``REQUIRED`` if the key must be given.
    """

    whole: Any
    default: Any

    @property
    def annotation(self) -> Any:
        """Its type."""
        return get_args(self.whole)[0] if hasattr(self.whole, "__metadata__") else self.whole


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class Section:
    """A part of a configuration; ``Members`` of its docstring describe its keys.

    Its values cannot be changed. A key that is not among its annotations is wrong.
    """

    __slots__ = ("__dict__", "model_fields_set")
    model_fields: ClassVar[dict[str, Key]] = {}
    _checks: ClassVar[dict[str, Check] | None] = None
    model_fields_set: set[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._checks = None
        cls.model_fields = {}
        for part in reversed(cls.__mro__):
            if issubclass(part, Section) and part is not Section:
                for name, annotation in get_annotations(part).items():
                    if annotation is not ClassVar and get_origin(annotation) is not ClassVar:
                        cls.model_fields[name] = Key(annotation, part.__dict__.get(name, REQUIRED))

    def __init__(self, **given: Any):
        made = type(self).model_validate(given)
        object.__setattr__(self, "model_fields_set", made.model_fields_set)
        self.__dict__.update(made.__dict__)

    @classmethod
    def model_validate(cls, given: Any) -> Self:
        """Return the section that a mapping describes.

        Parameters:
            given (mapping)

        Raises:
            pydantic.ValidationError: For all errors.
        """
        try:
            return cls.check_part(given)
        except NotSureError:
            from hydranoc.config.schema.pydantic_models import validated

            return validated(cls, given)

    @classmethod
    def check_part(cls, given: Any) -> Self:
        """Return the section that a mapping describes, or a section as it is.

        Raises:
            NotSureError: If pydantic has to check it.
        """
        if isinstance(given, cls):
            return given
        if type(given) is not dict or not given.keys() <= cls.model_fields.keys():
            raise NotSureError
        if cls._checks is None:
            cls._checks = {name: check_of(key.whole) for name, key in cls.model_fields.items()}
        values = {}
        for name, key in cls.model_fields.items():
            if name in given:
                values[name] = cls._checks[name](given[name])
            elif key.default is REQUIRED:
                raise NotSureError
            else:
                values[name] = list(key.default) if isinstance(key.default, list) else key.default
        return cls.of_checked(values, given)

    @classmethod
    def of_checked(cls, values: Mapping[str, Any], given: Collection[str]) -> Self:
        """Return a section with values that are already checked.

        Parameters:
            values: Values of all keys.
            given: Keys that are not left at their defaults.
        """
        made = object.__new__(cls)
        object.__setattr__(made, "model_fields_set", set(given))
        made.__dict__.update(values)
        return made

    def model_dump(self, *, exclude: Collection[str] = ()) -> dict[str, Any]:
        """Return all values, with sections as mappings.

        Parameters:
            exclude: Keys that are left out.
        """
        return {name: _dumped(value) for name, value in self.__dict__.items() if name not in exclude}

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """Return a copy of the section with some values replaced, without checks."""
        return self.of_checked({**self.__dict__, **update}, self.model_fields_set | update.keys())

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of the section."""
        from hydranoc.config.schema.pydantic_models import pydantic_model

        return pydantic_model(cls).model_json_schema()

    def __setattr__(self, name: str, _value: Any) -> None:
        raise AttributeError(f"{name} of a {type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} of a {type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of_checked, (self.__dict__, self.model_fields_set)


def _dumped(value: Any) -> Any:
    if isinstance(value, Section):
        return value.model_dump()
    if isinstance(value, list):
        return [_dumped(part) for part in value]
    if isinstance(value, dict):
        return {key: _dumped(part) for key, part in value.items()}
    return value
