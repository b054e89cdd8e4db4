"""Networks with sound modules in the wrong places: each part is right, and the whole does not deliver or may stop."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hydranoc.certificates.writing import MODULE
from tests.hydranoc.certificates.networks import CUBE, HARTS, MIN, Certified, generated, grid

TREE = {"family": "spam", "topology": {"kind": "mesh", "shape": [3, 2]}, "root": 0}
TURNS = {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 3}}
TURN_KEYS = range(8, 11)
"""Keys of multicasts in ``TURNS``, by the stage at which they turn."""


def router(network: Certified, switch: int) -> str:
    """The instance of a router."""
    found = re.search(rf" router_s{switch} \(\n.*?\n  \);", network.files["noc.v"], re.S)
    assert found is not None
    return found[0]


def with_constants(network: Certified, values: Mapping[int, Mapping[str, int]]) -> Certified:
    """A network with other constants of its routers, by switch and port."""
    text = network.files["noc.v"]
    for switch, of_switch in values.items():
        changed = instance = router(network, switch)
        for port, value in of_switch.items():
            (width, digits) = re.findall(rf"\.{port}\((\d+)'h(\w+)\)", changed)[0]
            new = f".{port}({width}'h{value:0{len(digits)}x})"
            changed = changed.replace(f".{port}({width}'h{digits})", new)
        text = text.replace(instance, changed)
    return network.with_file("noc.v", text)


def constant(network: Certified, switch: int, port: str) -> int:
    found = re.search(rf"\.{port}\(\d+'h(\w+)\)", router(network, switch))
    assert found is not None
    return int(found[1], 16)


def exchanged_corners() -> Certified:
    """A mesh with the routers of two corners in each other's places."""
    network = generated(json.dumps(grid("mesh", 3, 3, 2)))
    routers = network.manifest["routers"]
    one, other = routers[0]["module"], routers[2]["module"]
    routers[0]["module"], routers[2]["module"] = other, one
    text = network.files["noc.v"]
    for switch, module, new in ((0, one, other), (2, other, one)):
        text = text.replace(f"  {module} router_s{switch} (", f"  {new} router_s{switch} (")
    return network.with_manifest(routers=routers).with_file("noc.v", text)


def shifted_columns() -> Certified:
    """A torus whose switches have the column of their neighbour."""
    rows, columns = 3, 4
    network = generated(json.dumps(grid("torus", rows, columns, 2)), axi_stream="tdest")
    places = {switch: (switch // columns, (switch + 1) % columns) for switch in range(rows * columns)}
    shifted = with_constants(network, {switch: {"column": place[1]} for switch, place in places.items()})

    def moved(found: re.Match[str]) -> str:
        row, column = divmod(int(found[2]), columns)
        return f"{found[1]}{row * columns + (column - 1) % columns}"

    return shifted.with_evidence(order=[re.sub(r"\b([sp])(\d+)\b", moved, name) for name in network.evidence["order"]])


def other_nodes() -> Certified:
    """A hypercube whose routers have the number of their neighbour in dimension 0."""
    network = generated(json.dumps(CUBE), axi_stream="tdest")
    return with_constants(network, {switch: {"node": switch ^ 1} for switch in range(8)})


def exchanged_processors() -> Certified:
    """A hexagonal mesh with processors 0 and 1 at each other's switches."""
    network = generated(json.dumps(HARTS), axi_stream="tuser", moved=False)
    manifest, text = network.manifest, network.files["noc.v"]
    first = len(manifest["switch_names"])
    other = {first: first + 1, first + 1: first}
    for channel in manifest["channels"]:
        channel |= {end: other.get(channel[end], channel[end]) for end in ("source", "sink")}
        channel["name"] = re.sub(r"\bp([01])\b", lambda found: f"p{1 - int(found[1])}", channel["name"])
    one, two = manifest["nodes"][:2]
    for key in ("switch", "injection_channel", "delivery_channels"):
        one[key], two[key] = two[key], one[key]
    for wire in ("injector_n{}__link__payload", "injector_n{}__link__valid", "ejector_n{}__link__ready"):
        text = exchanged(text, *(f"({wire.format(node)})" for node in (0, 1)), within=r" router_s\d+ \(\n.*?\n  \);")
    for port in ("inputs__6__ready", "outputs__6__payload", "outputs__6__valid"):
        wires = [f"(router_s{switch}__{port})" for switch in (0, 1)]
        text = exchanged(text, *wires, within=r" (?:in|e)jector_n[01] \(\n.*?\n  \);")
    changed = {key: manifest[key] for key in ("channels", "nodes")}
    return network.with_manifest(**changed).with_file("noc.v", text)


def exchanged(text: str, one: str, other: str, within: str) -> str:
    """A text with two strings exchanged in all parts that match a pattern."""

    def swap(found: re.Match[str]) -> str:
        return found[0].replace(one, "\0").replace(other, one).replace("\0", other)

    return re.sub(within, swap, text, flags=re.S)


def tables_of_another_tree(**fields: Any) -> Certified:
    """Tables and wires of a network with another root: its headers would need other keys than the hardware makes."""
    network = generated(json.dumps(TREE), axi_stream="tuser")
    other = generated(json.dumps({**TREE, "root": 5}), axi_stream="tuser")
    ours, theirs = ({found[1]: found[0] for found in MODULE.finditer(one.files["noc.v"])} for one in (network, other))
    assert set(ours) == set(theirs)
    text = other.files["noc.v"]
    for name in ours:
        text = text if name == "noc" else text.replace(theirs[name], ours[name])
    manifest = {**other.manifest, "parameters": network.manifest["parameters"], **fields}
    mixed = other.with_file("noc.v", text).with_file("manifest.json", json.dumps(manifest))
    return replace(mixed, digests=network.digests)


def tree_called_another() -> Certified:
    """Tables of another tree, with the tree of the trusted network in the manifest."""
    return tables_of_another_tree(axi_stream=generated(json.dumps(TREE), axi_stream="tuser").manifest["axi_stream"])


def exchanged_turns() -> Certified:
    """Rows for headers that turn at the first stage, in the place of those that turn at the second, and vice versa."""
    network = generated(json.dumps(TURNS), axi_stream="tuser")
    keys, values = TURN_KEYS.stop, {}
    for switch in range(len(network.manifest["switch_names"])):
        width = sum(channel["source"] == switch for channel in network.manifest["channels"])
        routes = constant(network, switch, "routes")
        for start in (TURN_KEYS.start, keys + TURN_KEYS.start):  # of both classes of arrival channels
            low = start * width
            one, two = (routes >> low + place * width & (1 << width) - 1 for place in (0, 1))
            routes ^= (one ^ two) << low | (one ^ two) << low + width
        values[switch] = {"routes": routes}
    return with_constants(network, values)


def more_stages() -> Certified:
    """Eight register stages more on a link, over which a worm is longer than its token is kept for."""
    network = generated(json.dumps({**MIN, "link_cycles": 2}), moved=False)
    text, listed, more = network.files["noc.v"], network.manifest["link_stages"], range(2, 10)
    (stage,) = re.findall(r"  noc_link_stage link_c0_1 \(\n.*?\n  \);\n", text, re.S)
    instances = ""
    for number in (1, *more):
        instance = stage.replace("link_c0_1__", f"link_c0_{number}__").replace("link_c0_1 ", f"link_c0_{number} ")
        if number > 1:
            onward = rf"\g<1>link_c0_{number - 1}__onward__\2)"
            instance = re.sub(r"(\.link__(payload|valid)\()\w+\)", onward, instance)
        if number < more[-1]:
            ready = rf"\g<1>link_c0_{number + 1}__link__ready)"
            instance = re.sub(r"(\.onward__ready\()\w+\)", ready, instance)
        instances += instance
    before, after = text.split(stage)
    before, after = (part.replace("(link_c0_1__onward__", f"(link_c0_{more[-1]}__onward__") for part in (before, after))
    text = before + instances + after
    for wire in re.findall(r"\n  wire [^\n]*link_c0_1__[^\n]*;", text):
        text = text.replace(wire, "".join(wire.replace("link_c0_1__", f"link_c0_{number}__") for number in (1, *more)))
    first = next(place for place, about in enumerate(listed) if about["channel"] == 0)
    added = [
        {**listed[first], "stage": number, "instance": f"link_c0_{number}"}
        | {"name": listed[first]["name"].replace("stage 1", f"stage {number}")}
        for number in more
    ]
    longer = [*listed[: first + 1], *added, *listed[first + 1 :]]
    return network.with_manifest(link_stages=longer).with_file("noc.v", text)


def renamed_network() -> Certified:
    """The module with the routers has another name than that which the outer top instantiates."""
    network = generated(json.dumps(TREE), registers=True)
    modules = ["noc_netw0rk" if name == "noc_network" else name for name in network.manifest["modules"]]
    return network.with_manifest(modules=modules).with_verilog("\nmodule noc_network(", "\nmodule noc_netw0rk(")
