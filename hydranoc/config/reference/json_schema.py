"""The JSON Schema of a configuration, for completion in editors.

Files are validated in two steps, because errors about one family are better than errors about all: first the
sections, then each by its family or kind. A JSON Schema says all at once, so the sections are put together here.
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from hydranoc.config import schema
from hydranoc.config.hosts import Hosts
from hydranoc.config.load import ConfiguredFamily
from hydranoc.config.schema.pydantic_models import pydantic_model

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLE = "HydraNoC configuration"


def json_schema(families: Mapping[str, ConfiguredFamily]) -> dict[str, Any]:
    """Return the JSON Schema of the whole file, as plain values.

    Parameters
    ----------
    families : mapping of str to ConfiguredFamily
        Allowed values of ``family``.
    """
    networks = [_network(name, family) for name, family in families.items()]
    fields: dict[str, Any] = {
        "network": (_any(networks), Field(discriminator="family")),
        "traffic": (
            _any([*map(pydantic_model, dict.fromkeys(schema.TRAFFICS.values())), None]),
            Field(None, discriminator="kind"),
        ),
        "hosts": (_any([pydantic_model(Hosts), None]), None),
    }
    whole = create_model("Configuration", __base__=pydantic_model(schema.Configuration), **fields)
    return {"$schema": DIALECT, **whole.model_json_schema(), "title": TITLE}


def _network(name: str, family: ConfiguredFamily) -> type[BaseModel]:
    """Return the section of a family with its name and topologies, and with keys fixed at defaults as constants."""
    section = family.network_section
    fields: dict[str, Any] = {
        "family": (Literal[name], ...),
        "topology": (_any(map(pydantic_model, section.TOPOLOGIES)), ...),
    }
    for key in section.FIXED_KEYS:
        default = section.model_fields[key].default
        fields[key] = (Literal[default], default)
    return create_model(section.__name__, __base__=pydantic_model(section), __doc__=family.title, **fields)


def _any(kinds: Iterable[Any]) -> Any:
    return reduce(or_, kinds)
