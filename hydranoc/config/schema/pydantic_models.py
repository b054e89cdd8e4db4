"""The pydantic model of each section, for error messages and the JSON Schema."""

from functools import cache, reduce
from inspect import get_annotations
from operator import or_
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import pydantic
from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hydranoc.config.descriptions import described
from hydranoc.config.schema.fields import Discriminator, Field, Tag, WithJsonSchema
from hydranoc.config.schema.section import Section


class Checked(BaseModel):
    """A mapping that has these keys and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class _Model(Checked):
    """Model of a section.

    Members:
        section (type)
    """

    section: ClassVar[type[Section]] = Section

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return described(cls, core_schema, handler)


SectionT = TypeVar("SectionT", bound=Section)


def validated(section: type[SectionT], given: Any) -> SectionT:
    """Return the section that a mapping describes.

    Raises:
        pydantic.ValidationError: For all errors.
    """
    return section_of(pydantic_model(section).model_validate(_given(given)))


@cache
def pydantic_model(section: type[Section]) -> type[BaseModel]:
    """Return the model of a section, derived from the models of the section's base classes."""
    bases = tuple(pydantic_model(base) for base in section.__bases__ if issubclass(base, Section)) or (_Model,)
    own = get_annotations(section)
    fields: dict[str, Any] = {
        name: (as_pydantic_has_it(key.whole), _default(key.default))
        for name, key in section.model_fields.items()
        if name in own
    }
    model = create_model(
        section.__name__, __base__=bases, __doc__=section.__doc__, __module__=section.__module__, **fields
    )
    model.section = section  # type: ignore[attr-defined]
    return model


def _default(value: Any) -> Any:
    if not isinstance(value, Section):
        return value
    return pydantic_model(type(value)).model_validate(_given(value))


def as_pydantic_has_it(annotation: Any) -> Any:
    """Return an annotation with models in place of sections, and pydantic's own marks."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return pydantic_model(annotation)
    if origin is Annotated:
        return Annotated[(as_pydantic_has_it(arguments[0]), *map(_mark, arguments[1:]))]
    if origin in (Union, UnionType):
        return reduce(or_, map(as_pydantic_has_it, arguments))
    if origin is list:
        return list[as_pydantic_has_it(arguments[0])]
    if origin is dict:
        return dict[as_pydantic_has_it(arguments[0]), as_pydantic_has_it(arguments[1])]
    return annotation


def _mark(mark: Any) -> Any:
    if isinstance(mark, Field):
        limits: dict[str, Any] = {name: limit for name, limit in mark._asdict().items() if limit is not None}
        if limits.pop("allow_inf_nan"):
            return pydantic.Field(**limits)
        return pydantic.Field(**limits, allow_inf_nan=False)
    if isinstance(mark, Tag):
        return pydantic.Tag(mark.name)
    if isinstance(mark, Discriminator):
        return pydantic.Discriminator(mark.tag_of)
    if isinstance(mark, WithJsonSchema):
        return pydantic.WithJsonSchema(dict(mark.schema))
    return mark


def _given(value: Any) -> Any:
    """Return a value with the given mappings in place of sections."""
    if isinstance(value, Section):
        return {name: _given(getattr(value, name)) for name in value.model_fields_set}
    if type(value) is dict:
        return {name: _given(part) for name, part in value.items()}
    if type(value) is list:
        return [_given(part) for part in value]
    return value


def section_of(value: Any) -> Any:
    """Return a value with sections in place of their models."""
    if isinstance(value, _Model):
        values = {name: section_of(getattr(value, name)) for name in type(value).model_fields}
        return type(value).section.of_checked(values, value.model_fields_set)
    if type(value) is dict:
        return {name: section_of(part) for name, part in value.items()}
    if type(value) is list:
        return [section_of(part) for part in value]
    return value
