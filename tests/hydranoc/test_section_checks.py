"""Sections accept without pydantic only what pydantic accepts, and keep the same values."""

import copy
import math
import pickle
from typing import Annotated, Any, get_args

import pydantic
import pytest

from hydranoc.config.hosts import Hosts
from hydranoc.config.schema import NetworkSection, RandomTraffic, Section
from hydranoc.config.schema.checks import NotSureError, check_of
from hydranoc.config.schema.pydantic_models import Checked, as_pydantic_has_it, pydantic_model, section_of
from hydranoc.families.registry import FAMILIES

assert all(FAMILIES.values())  # their sections are loaded
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 3, 4, 16, 255, 256, 1024, 65_537, 2**53 + 1, 2**64, 10**12, 10**400),
    *(0.0, 0.5, 1.0, -0.1, 1.5, 1e9, 1e300, math.inf, -math.inf, math.nan),
    *("", "x", "1", "wrap", "uniform", "row", "tail", "poisson", "mesh", "random", "list", b"x", (1, 2), {1}, object),
    *([], [1], [1, 2], [0, 0, 0], [True], [1.0], ["a"], ["a", 1], [None], [[1, 2]], [[1, 2], [3]], [1] * 17),
    *({}, {"mean": 2, "stddev": 0.5}, {"mean": True, "stddev": 0}, {8: 0.5, 16: 0.5}, {8: 0}, {"8": 0.5}, {8.0: 1}),
    *({"kind": "local", "distance": 1}, {"kind": "local"}, {"kind": "groups", "groups": [[1, 2]]}, {"kind": 3}),
    *({"kind": "bursts", "rate_in_bursts": 1, "mean_burst_cycles": math.inf}, {"kind": "batches", "messages": 2}),
    *({"kind": "bursts", "rate_in_bursts": 0.5, "mean_burst_cycles": 4}, {"kind": "permutation", "destinations": [1]}),
    *({"kind": "hot-spot", "nodes": [1], "share": 0.5}, {"flits": 8}, {"flits": {8: 1}, "outstanding": None}),
    *([{"source": 0, "flits": 8}], [{"source": 0, "flits": 8, "x": 1}], [{"processor": 1, "cycles": 2}]),
    *({"links": [[0, 1]]}, {"nodes": [3]}, {"nodes": {}}),
]


def sections(base: type[Section] = Section):
    for section in base.__subclasses__():
        yield section
        yield from sections(section)


def words_of(annotation: Any):
    """Yield the words that an annotation names."""
    if isinstance(annotation, str):
        yield annotation
    for argument in get_args(annotation):
        yield from words_of(argument)


KEYS = {f"{section.__name__}.{name}": key.whole for section in sections() for name, key in section.model_fields.items()}


@pytest.mark.parametrize("name", KEYS)
def test_checks_accept_what_pydantic_accepts(name):
    check = check_of(KEYS[name])
    model = pydantic.create_model("Model", __base__=Checked, value=(as_pydantic_has_it(KEYS[name]), ...))
    accepted = 0
    for value in (*VALUES, *words_of(KEYS[name])):
        try:
            found = check(copy.copy(value))
        except NotSureError:
            continue
        kept = section_of(model.model_validate({"value": value}).value)
        assert repr(found) == repr(kept), value
        accepted += 1
    assert accepted


def test_a_mark_of_another_library_is_left_to_pydantic():
    with pytest.raises(NotSureError):
        check_of(Annotated[int, "even"])(2)


@pytest.mark.parametrize("family", FAMILIES)
def test_sections_are_like_their_models(family):
    section: type[NetworkSection] = FAMILIES[family].network_section
    given = {"family": family, "topology": {"kind": "mesh"}, "buffer_flits": 4}
    made, model = section.model_validate(given), pydantic_model(section).model_validate(given)
    assert made == section_of(model) == section(**given)
    assert repr(made) == repr(model)
    assert made.model_dump(exclude={"family"}) == model.model_dump(exclude={"family"})
    assert made.model_fields_set == model.model_fields_set == given.keys()
    assert list(section.model_fields) == list(pydantic_model(section).model_fields)
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    changed = made.model_copy(update={"buffer_flits": 5})
    assert (changed.buffer_flits, made.buffer_flits) == (5, 4)
    with pytest.raises(AttributeError, match="cannot be changed"):
        made.buffer_flits = 3  # type: ignore[misc]


def test_wrong_sections_are_refused_by_pydantic():
    with pytest.raises(pydantic.ValidationError, match="messages_per_node_per_cycle"):
        RandomTraffic(kind="random", cycles=1, messages_per_node_per_cycle=2, flits=8)
    with pytest.raises(pydantic.ValidationError, match="stalls"):
        Hosts.model_validate({"stalls": 0.5})


def test_a_default_list_is_not_shared():
    Hosts().blocked.append(None)  # type: ignore[arg-type]
    assert Hosts().blocked == []
