"""Meaning of configurations: defaults, every topology kind, relative files, dictionaries, sections, places."""

import copy
import json
import math
import pickle
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, get_args

import numpy as np
import pydantic
import pytest
import yaml

from hydranoc import ConfigError, load
from hydranoc.cli import run
from hydranoc.config.load import load_config
from hydranoc.config.schema import NetworkSection, Section
from hydranoc.config.schema.checks import NotSureError, check_of
from hydranoc.config.schema.pydantic_models import Checked, as_pydantic_has_it, pydantic_model, section_of
from hydranoc.config.traffic import build_messages
from hydranoc.families.registry import FAMILIES
from sim_model.messages.messages import MessageError
from tests.each import each
from topology.common.host_pattern import EAGER, Blockade, HostBehaviour


def _load(tmp_path, topology: str, more: str = ""):
    path = tmp_path / "c.yaml"
    path.write_text(f"network:\n  family: spam\n  topology: {topology}\n{more}")
    return load(path)


TOPOLOGIES = {
    "{kind: lattice, switches: 20, seed: 3}": (20, 20),
    "{kind: lattice, switches: 20, seed: 3, max_switch_links: 2, processors_per_switch: 2}": (20, 40),
    "{kind: irregular, switches: 9, extra_links: 0}": (9, 9),
    "{kind: mesh, shape: [3, 4]}": (12, 12),
    "{kind: torus, shape: [3, 3, 3], processors_per_switch: 2}": (27, 54),
    "{kind: hypercube, dimensions: 4}": (16, 16),
    "{kind: tree, arity: 2, levels: 4}": (15, 8),
    "{kind: tree, arity: 2, levels: 3, leaves_only: false}": (7, 7),
    "{kind: ring, switches: 5}": (5, 5),
    "{switches: 3, edges: [[0, 1], [1, 2]]}": (3, 3),
    "{switches: 3, edges: [[0, 1], [1, 2]], processors: [2, 2, 2, 0], ports: 4}": (3, 4),
    "{switches: 1, edges: [], processors: [0, 0]}": (1, 2),
}


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_kind_of_topology_is_built(tmp_path, topology):
    network = _load(tmp_path, topology).network
    assert (network.switches, len(network.processors)) == TOPOLOGIES[topology]


def test_defaults_are_the_fast_setting(tmp_path):
    section = _load(tmp_path, "{kind: ring, switches: 3}").config.network_section
    assert (section.flit_bits, section.buffer_flits, section.routing_cycles) == (32, 2, 1)


def test_hosts_are_eager_unless_told_otherwise(tmp_path):
    ring = "{kind: ring, switches: 3}"
    assert _load(tmp_path, ring).config.hosts == _load(tmp_path, ring, "hosts: {}\n").config.hosts == EAGER
    some = _load(tmp_path, ring, "hosts: {pause: 0.3, stall: 0.9, blocked: [{processor: 2, cycles: 7}]}\n")
    assert some.config.hosts == HostBehaviour(77, 230, 0, (Blockade(2, 0, 7),))


def test_files_are_found_beside_the_configuration(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "n.edges").write_text("a b\nb c\n")
    monkeypatch.chdir("/")
    assert _load(tmp_path / "sub", "{file: n.edges}").network.switch_names == ("a", "b", "c")


@pytest.mark.parametrize(("root", "switch"), [("2", 2), ("s2", 2), ("0", 0)])
def test_roots_of_numbered_networks_go_by_number_or_name(tmp_path, root, switch):
    design = _load(tmp_path, "{kind: ring, switches: 4}", f"  root: {root}\n")
    assert design.routing.labels.root == switch


def test_roots_of_named_networks_go_by_name(tmp_path):
    topology = "{switches: 3, edges: [[0, 1], [1, 2]], names: [7, 8, hub]}"
    assert _load(tmp_path, topology, "  root: 8\n").routing.labels.root == 1
    assert _load(tmp_path, topology, "  root: hub\n").routing.labels.root == 2
    with pytest.raises(ConfigError, match="root is 0; it must be a switch \\(7, 8, hub\\)"):
        assert _load(tmp_path, topology, "  root: 0\n").routing


def test_a_trace_says_the_same_as_a_list(tmp_path):
    (tmp_path / "t.csv").write_text('cycle,source,destinations,flits\n5,0,"1 2",8\n9,3,1;0,9\n')
    first = "{source: 0, destinations: [2, 1], flits: 8, start_cycle: 5}"
    second = "{source: 3, destinations: [0, 1], flits: 9, start_cycle: 9}"
    listed = f"[{first}, {second}]"
    kinds = ["{kind: trace, file: t.csv}", f"{{kind: list, messages: {listed}}}"]
    traced, written = (_load(tmp_path, "{kind: ring, switches: 4}", f"traffic: {kind}\n").messages for kind in kinds)
    for column in ("source", "destinations", "flits", "start_cycle"):
        assert getattr(traced, column).tolist() == getattr(written, column).tolist()


def _unwilling(_network, _records, _name, _seed):
    raise MessageError(1, "Source is 2; it must be another processor", "source")


def _with_software(tmp_path, sends, traffic: str):
    family = copy.copy(FAMILIES["spam"])
    vars(family).update(software_names=lambda _: ("backwards", "last"), software_sends=sends)
    path = tmp_path / "c.yaml"
    path.write_text(f"network: {{family: spam, topology: {{kind: ring, switches: 4}}}}\ntraffic:\n{traffic}")
    config = load_config(path, {"spam": family})
    return build_messages(config, family.build_routing(config.network_section, config.network))


def test_what_the_software_of_the_family_refuses_has_a_line(tmp_path):
    traffic = (
        "  kind: list\n  software: last\n  messages:\n"
        "  - {source: 0, destinations: [1, 2], flits: 8}\n  - {source: 2, destinations: [1, 3], flits: 8}\n"
    )
    with pytest.raises(
        ConfigError, match=r"c.yaml:7: traffic.messages\[1\]: Source is 2; it must be another processor"
    ):
        _with_software(tmp_path, _unwilling, traffic)


EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "traffic": {"kind": "list", "messages": [{"source": 0, "destinations": [1, 3], "flits": 8}]},
}


@each("name", ["demo", "min", "harts", "torus", "hypercube"])
def test_a_dictionary_says_what_the_file_says(name):
    path = EXAMPLES / f"{name}.yaml"
    given, read = load(yaml.safe_load(path.read_text())), load(path)
    assert given.config.network_section == read.config.network_section
    assert given.config.traffic == read.config.traffic
    assert np.array_equal(given.messages.start_cycle, read.messages.start_cycle)
    assert given.routing.network.channels == read.routing.network.channels


def test_the_dictionary_stays_as_it_was():
    before = copy.deepcopy(SMALL)
    design = load(SMALL)
    assert design.simulate().right
    assert before == SMALL
    assert design.config.name == "configuration"


def test_files_that_a_dictionary_names_lie_in_the_working_folder(monkeypatch):
    content = yaml.safe_load((EXAMPLES / "campus.yaml").read_text())
    monkeypatch.chdir(EXAMPLES)
    assert load(content).network.switches == load(EXAMPLES / "campus.yaml").network.switches


def _changed(*path_and_value):
    *path, last, value = path_and_value
    content = copy.deepcopy(SMALL)
    section = content
    for key in path:
        section = section[key]
    section[last] = value
    return content


@each(
    "wrong, text",
    [
        ({}, "key 'network' is missing"),
        (_changed("network", "family", "spm"), "network.family is 'spm'; .* did you mean 'spam'"),
        (_changed("network", "buffer_flits", 0), "network.buffer_flits is 0; it must be at least 1"),
        (
            _changed("network", "topology", "shape", [2, -2]),
            r"network.topology.shape\[1\] is -2; it must be at least 1",
        ),
        (_changed("network", "topology", {"file": "none.graphml"}), "^cannot read network file 'none.graphml'"),
        (_changed("traffic", "messages", 0, "destinations", [9]), r"traffic.messages\[0\].* is 9"),
        (_changed("network", "depth", 3), "unknown key 'depth' in network"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(wrong, text):
    with pytest.raises(ConfigError, match=text) as caught:
        load(wrong).simulate()
    assert "\n" not in str(caught.value)


@each("name", ["demo", "min", "harts", "torus", "hypercube"])
def test_designs_can_be_pickled_before_and_after_they_were_used(name):
    design = load(EXAMPLES / f"{name}.yaml")
    fresh = pickle.loads(pickle.dumps(design))
    expected = design.simulate()
    used = pickle.loads(pickle.dumps(design))
    for copied in (fresh, used):
        assert np.array_equal(copied.simulate().results.arrival_cycle, expected.results.arrival_cycle)


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
    *({"links": [[0, 1]]}, {"nodes": [3]}, {"nodes": {}}, [{"processor": 1, "base": 0, "size": 4096}]),
]


def sections(base: type[Section] = Section):
    for section in base.__subclasses__():
        yield section
        yield from sections(section)


def named_by(annotation: Any):
    """Yield the words and numbers that an annotation names."""
    if isinstance(annotation, str | int):
        yield annotation
    for argument in get_args(annotation):
        yield from named_by(argument)


KEYS = {f"{section.__name__}.{name}": key.whole for section in sections() for name, key in section.model_fields.items()}


@each("name", KEYS)
def test_checks_accept_what_pydantic_accepts(name):
    check = check_of(KEYS[name])
    model = pydantic.create_model("Model", __base__=Checked, value=(as_pydantic_has_it(KEYS[name]), ...))
    accepted = 0
    for value in (*VALUES, *named_by(KEYS[name])):
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


@each("family", FAMILIES)
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


PLACEMENT_EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_processor_is_named_with_its_switch_and_port(capsys):
    assert run(["check", str(PLACEMENT_EXAMPLES / "campus.yaml"), "--json"]) == 0
    processors = json.loads(capsys.readouterr().out)["processors"]
    assert [entry["processor"] for entry in processors] == list(range(20))
    assert processors[0]["sends_to"] == processors[0]["receives_from"]
    assert set(processors[0]["sends_to"][0]) == {"switch", "port"}


def test_multistage_networks_send_and_receive_at_other_switches(capsys, tmp_path):
    config = tmp_path / "uni.yaml"
    config.write_text("network: {family: min, topology: {kind: baseline, radix: 4, stages: 3}}\n")
    assert run(["check", str(config)]) == 0
    first = capsys.readouterr().out.split("processors:\n")[1].splitlines()[0]
    assert first.startswith("  p0  ")
    assert "sends to" in first
    assert "receives from" in first


@each(
    "given, text",
    [
        ({b"network": {}}, "a key in the configuration is b'network'; it must be text"),
        ({"network": {"family": "spam", None: 1}}, "a key in network is nothing; it must be text"),
        ({"network": {"family": "spam", "topology": {True: 1}}}, "a key in network.topology is true; it must be text"),
    ],
)
def test_keys_of_a_mapping_are_text(given: Any, text):
    with pytest.raises(ConfigError, match=text):
        load(given)


def test_endless_nesting_is_refused():
    given: dict[str, Any] = {"network": {}}
    given["network"]["network"] = given
    with pytest.raises(ConfigError, match="network is nested too deeply"):
        load(given)


def test_any_mapping_will_do():
    ring = MappingProxyType({"kind": "ring", "switches": 4})
    design = load(MappingProxyType({"network": MappingProxyType({"family": "spam", "topology": ring})}))
    assert design.network.switches == 4


def test_a_permutation_without_a_sender_is_named():
    pattern = {"kind": "permutation", "destinations": [0, 1, 2, 3]}
    traffic = {"kind": "random", "cycles": 1000, "messages_per_node_per_cycle": 0.1, "flits": 8, "pattern": pattern}
    ring = {"family": "spam", "topology": {"kind": "ring", "switches": 4}}
    with pytest.raises(ConfigError, match=r"traffic\.pattern\.destinations: assigns all processors to themselves"):
        _ = load({"network": ring, "traffic": traffic}).messages
