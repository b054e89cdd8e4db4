"""Tampered certificates, manifests and Verilog are refused with the reason."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

from tests.each import each
from tests.hydranoc.certificates import exchanged
from tests.hydranoc.certificates.networks import NETWORKS, Certified, certified, generated, verdict

UNICAST = 16 + 5
"""Row of ``demo``'s tables for headers for processor 5."""


def order(name: str) -> list[str]:
    return certified(name).evidence["order"]


def reordered(name: str, changed: list[str]) -> Certified:
    return certified(name).with_evidence(order=changed)


def shortened(name: str, field: str) -> Certified:
    """A certificate without the first item of a list."""
    return certified(name).with_evidence(**{field: certified(name).evidence[field][1:]})


def swapped_vcs() -> Certified:
    """A VC and one that is requested from it."""
    changed = order("torus-lanes").copy()
    a, b = changed.index("p0->s0"), changed.index("s0->s1.1")
    assert a < b
    changed[a], changed[b] = changed[b], changed[a]
    return reordered("torus-lanes", changed)


def flipped(name: str, switch: int, port: str, bit: int) -> Certified:
    """A network with one bit of a constant of a router changed."""
    network = certified(name)
    instance = re.search(rf" router_s{switch} \(\n.*?\n  \);", network.files["noc.v"], re.S)
    assert instance is not None
    constant = re.search(rf"\.{port}\((\d+)'h([0-9a-f]+)\)", instance[0])
    assert constant is not None
    digits = f"{int(constant[2], 16) ^ 1 << bit:0{len(constant[2])}x}"
    altered = instance[0].replace(constant[0], f".{port}({constant[1]}'h{digits})")
    return network.with_verilog(instance[0], altered)


def swapped_tables() -> Certified:
    """Tables of two routers of one shape change places."""
    network = certified("demo")
    text = network.files["noc.v"]
    found = re.findall(r"noc_spam_router_p3 router_s\d+ \(.*?(\.routes\(.*?\))", text, re.S)
    one, other = found[0], next(table for table in found if table != found[0])
    return network.with_file("noc.v", text.replace(one, "@").replace(other, one).replace("@", other))


def rewired_manifest() -> Certified:
    """Two channels of the manifest change the inputs that they lead to."""
    network = certified("demo")
    channels = network.manifest["channels"]
    a, b = channels[0], next(c for c in channels if c["source"] < 16 and c["sink"] not in (channels[0]["sink"], 16))
    for key in ("sink", "sink_port"):
        a[key], b[key] = b[key], a[key]
    return network.with_manifest(channels=channels)


def rewired_verilog() -> Certified:
    """Two links of the Verilog are swapped."""
    network = certified("torus-lanes")
    text = network.files["noc.v"]
    for part in ("payload", "valid"):
        one, other = (f"(router_s{switch}__outputs__0__{part})," for switch in (4, 8))
        pins = [re.search(rf"\.inputs__0__{part}{re.escape(wire)}", text) for wire in (one, other)]
        a, b = (pin[0] for pin in pins if pin is not None)
        text = text.replace(a, "\0").replace(b, b.replace(other, one)).replace("\0", a.replace(one, other))
    return network.with_file("noc.v", text)


def credit_of_another() -> Certified:
    return certified("torus-lanes").with_verilog(
        ".credited_0(router_s1__credits_0)", ".credited_0(router_s2__credits_0)"
    )


def exchanged_nodes() -> Certified:
    """Routers of nodes 0 and 1 have each other's numbers: the links are no hypercube's then."""
    network = flipped("hypercube", 0, "node", 0)
    return network.with_verilog(
        ".node(4'h1),\n    .outputs__0__payload(router_s1__", ".node(4'h0),\n    .outputs__0__payload(router_s1__"
    )


def without_a_branch() -> Certified:
    nesting = dict(certified("demo").evidence["nesting"])
    nesting.popitem()
    return certified("demo").with_evidence(nesting=nesting)


def loaded_word() -> Certified:
    """The last loaded word, the lowest bits of the first router's routes."""
    network = certified("registers")
    words = network.files["noc_tables.hex"].split()
    words[-1] = f"{int(words[-1], 16) ^ 3:02x}"
    return network.with_file("noc_tables.hex", "\n".join(words) + "\n")


def too_few_pages() -> Certified:
    network = certified("harts")
    fewer = network.with_manifest(parameters={**network.manifest["parameters"], "pages": 11})
    named = fewer.with_file("manifest.json", fewer.files["manifest.json"].replace("page_pool_12", "page_pool_11"))
    return named.with_verilog("_harts_page_pool_12", "_harts_page_pool_11").believed()


def wired_column() -> Certified:
    """A coordinate that is not constant."""
    network = certified("dateline")
    column = re.search(r" router_s0 \(.*?(\.column\(.*?\))", network.files["noc.v"], re.S)
    assert column is not None
    return network.with_file("noc.v", network.files["noc.v"].replace(column[1], ".column(router_s1__discarding)", 1))


def ages_not_declared() -> Certified:
    """Routers that serve the oldest message first, with the manifest of others."""
    network = generated(json.dumps({**STREAM, "arbitration": "age"}))
    parameters = {name: value for name, value in network.manifest["parameters"].items() if name != "arbitration"}
    return network.with_manifest(parameters=parameters).believed()


def no_rule() -> Certified:
    """All VCs as candidates of every header."""
    network = certified("torus-lanes")
    return network.with_manifest(parameters={**network.manifest["parameters"], "lane_rule": "any"}).believed()


def key_twice() -> Certified:
    return replace(certified("demo"), text=certified("demo").certificate().replace("{", '{"format": 0,', 1))


TAMPERED: list[tuple[str, Callable[[], Certified], str]] = [
    ("two VCs swapped", swapped_vcs, "waits for s0->s1.1, which does not come later in the order"),
    (
        "table altered by a bit",
        lambda: replace(flipped("demo", 0, "routes", 40), text=certified("demo").certificate()),
        "for another network: the verilog's digest is",
    ),
    ("way taken away", lambda: flipped("demo", 0, "routes", 2 * UNICAST), "that comes on p0->s0 is unroutable"),
    ("other way", lambda: flipped("demo", 0, "routes", 2 * UNICAST + 1), "p0->s0 reaches one processor or another"),
    ("a stray branch", lambda: flipped("demo", 0, "reach", 17), "does not reach what the table says behind s0->p0"),
    ("class altered", lambda: flipped("demo", 0, "port_class", 1), "refused"),
    ("tables of two routers swapped", swapped_tables, "refused"),
    ("manifest's channel rewired", rewired_manifest, "name of channel 0 is 's0->s3', not s0->s"),
    ("verilog's link rewired", rewired_verilog, "drives router_s.*, not router_s"),
    (
        "credits of another",
        credit_of_another,
        "router_s2__credits_0 drives router_s0.credited_0, not router_s1__credits_0",
    ),
    (
        "column altered",
        lambda: flipped("torus-lanes", 5, "column", 0),
        "columns and rows of the routers are not those of the grid",
    ),
    (
        "end of a ring altered",
        lambda: flipped("dateline", 0, "closes_ring", 0),
        "router_s0 takes other inputs for the ends of rings",
    ),
    ("column wired", wired_column, "column of router_s0 is no constant of 2 bits: 'router_s1__discarding'"),
    ("ages not declared", ages_not_declared, "noc_spam_router_p.* has other queues than for arbitration round-robin"),
    ("no rule", no_rule, "no such rule of VCs: 'any'"),
    ("escape declared adaptive", lambda: shortened("hypercube", "escapes"), "is missing in the escapes"),
    (
        "escapes backwards",
        lambda: reordered("hypercube", order("hypercube")[::-1]),
        "behind .* a header may wait for .*, which is not later in",
    ),
    ("nodes exchanged", exchanged_nodes, "does not lead to the neighbour in its dimension"),
    ("branch not nested", without_a_branch, "is missing in nesting"),
    (
        "token kept too short",
        lambda: flipped("min", 4, "release_flits", 2),
        "gives the token on after 0 flits, and 4 are needed",
    ),
    ("two tokens", lambda: flipped("min", 5, "starts_here", 0), "begins with 2 tokens"),
    ("rings not declared", lambda: shortened("min", "tokens"), "token.here has 8 bits, and what drives it 7"),
    ("loaded table altered", loaded_word, "refused"),
    ("too few pages", too_few_pages, "12 pages are needed, one per level and receiver, and there are 11"),
    (
        "levels swapped",
        lambda: reordered("harts", [*order("harts")[1::-1], *order("harts")[2:]]),
        "packets of level 0 wait for level 1, which does not come later",
    ),
    ("channel removed", lambda: shortened("demo", "order"), "is missing in the order"),
    ("channel twice", lambda: reordered("demo", [*order("demo"), "s0->p0"]), "s0->p0 is twice in the order"),
    ("unknown channel", lambda: reordered("demo", [*order("demo"), "s0->p99"]), "s0->p99 in the order is none of"),
    ("key twice", key_twice, "is twice in a mapping"),
    ("field added", lambda: certified("demo").with_fields(note="x"), "has a field that is unknown: 'note'"),
    ("premise left out", lambda: certified("demo").with_fields(premises=[]), "theorem and premises are not those of"),
    ("other family", lambda: certified("demo").with_fields(family="min"), "is for family 'min', not 'spam'"),
]


@each("name, tamper, why", TAMPERED)
def test_what_was_tampered_with_is_refused(name, tamper, why):
    code, line = verdict(tamper())
    assert code == 1, name
    assert re.search(why, line), line
    assert line.startswith("refused: ")
    assert "not as hydranoc writes them" not in line


LONG = {"family": "min", "topology": {"kind": "baseline", "radix": 2, "stages": 3}}
STREAM = {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}}


def without(name: str, pin: str) -> Certified:
    """A network with a pin of router 0 left out."""
    return edited(name, rf"( router_s0 \(\n.*?)    \.{pin}\([^)]*\),\n", r"\1")


def edited(name: str, pattern: str, new: str) -> Certified:
    network = certified(name)
    text, times = re.subn(pattern, new, network.files["noc.v"], count=1, flags=re.S)
    assert times == 1
    return network.with_file("noc.v", text)


def link_without_ready() -> Certified:
    """The output of a link takes every flit as moved, and no logic reads the ready of the input behind it."""
    network = edited("private", r"(\.outputs__2__ready\()router_s(\d+)__inputs__(\d+)__ready\)", r"\g<1>1'h1)")
    text = re.sub(r"    \.inputs__0__ready\(router_s4__inputs__0__ready\),\n", "", network.files["noc.v"])
    return network.with_file("noc.v", text)


def long_links_called_short() -> Certified:
    """Verilog with links of three cycles, and the manifest of links of one cycle, whose tokens leave earlier."""
    long, short = (generated(json.dumps({**LONG, "link_cycles": cycles})) for cycles in (3, 1))
    text = long.files["noc.v"]
    for given, cut in zip(release_flits(text), release_flits(short.files["noc.v"]), strict=True):
        narrowed = given.partition("'")[0] + cut[cut.index("'") :]
        text = text.replace(f".release_flits({given})", f".release_flits({narrowed})", 1)
    named = short.with_manifest(**{key: long.manifest[key] for key in ("modules", "ports")})
    return named.with_file("noc.v", text).believed()


def release_flits(text: str) -> list[str]:
    return re.findall(r"\.release_flits\((\d.*?)\)", text)


def bypassed_stage() -> Certified:
    """The ``valid`` of a link comes from before its register stage."""
    return edited("baseline", r"(\.inputs__0__valid\()link_c0_1__onward__valid\)", r"\1router_s0__outputs__0__valid)")


def gap_other_rule(said: str, made: str) -> Certified:
    """Verilog of one rule for virtual channels, with manifest and certificate of another."""
    section = {**NETWORKS["dateline"], "vc_rule": said}
    network = generated(json.dumps(section))
    other = generated(json.dumps({**section, "vc_rule": made})).files["noc.v"]
    theirs, ours = (f"_torus_router_p5_l2_b4_r1_{rule}" for rule in (made, said))
    return network.with_file("noc.v", other.replace(theirs, ours))


def wrong_end(pin: str, right: str, wrong: str) -> Certified:
    network = generated(json.dumps(STREAM), axi_stream="tuser")
    return network.with_verilog(f".{pin}({right})", f".{pin}({wrong})")


def commented_router() -> Certified:
    """Comments hide that another router is instantiated."""
    return edited("dateline", r"(  noc_torus_router\w+ router_s0 \(\n.*?\n  \);\n)", r"/*\n\1*/\n\1")


GAPS: list[tuple[str, Callable[[], Certified], str]] = [
    ("no credits", lambda: without("dateline", "credited_0"), "credited_0 of router_s0 is not connected"),
    ("no ready", link_without_ready, "1'h1 drives router_s.*outputs__2__ready, not router_s"),
    ("long links", long_links_called_short, "channels is noc_transfer_monitor_64 in the Verilog, not .*_32"),
    ("bypassed stage", bypassed_stage, "router_s0__outputs__0__valid drives router_s4.inputs__0__valid"),
    ("balanced as dateline", lambda: gap_other_rule("dateline", "balanced"), "is not what hydranoc writes"),
    ("dateline as balanced", lambda: gap_other_rule("balanced", "dateline"), "is not what hydranoc writes"),
    (
        "clock tied",
        lambda: edited("demo", r"( router_s0 \(\n    \.clk\()clk\)", r"\g<1>1'h0)"),
        "1'h0 drives router_s0.clk, not clk",
    ),
    ("unicast key", lambda: wrong_end("unicast_key", "3'h4", "3'h5"), "3'h5 drives ejector_n0.unicast_key, not 3'h4"),
    ("commented router", commented_router, r"has '/\*.*', which is no wire, instance or constant"),
    (
        "corners exchanged",
        exchanged.exchanged_corners,
        "router_s0 is noc_torus_router_p3_l2_b4_r1_ny_px, and torus_router_p3_l2_b4_r1_py_px is needed there",
    ),
    ("columns shifted", exchanged.shifted_columns, "s0->p0 is at the switch of node 1"),
    ("nodes of neighbours", exchanged.other_nodes, "s0->p0 is at the switch of node 1"),
    ("processors exchanged", exchanged.exchanged_processors, "s0->p1 is at the switch of node 0"),
    ("another tree", exchanged.tables_of_another_tree, "item 0 of tree of axi_stream is 1; it must be 0"),
    (
        "tree called another",
        exchanged.tree_called_another,
        "a set with p1 has the key s0, which does not lead there",
    ),
    (
        "turns exchanged",
        exchanged.exchanged_turns,
        "key 9 does not lead from p0->s0_0 to all processors that need it",
    ),
    ("more stages", exchanged.more_stages, "s0_0->s1_0 has 9 register stages; link_cycles needs 1"),
    (
        "module renamed",
        exchanged.renamed_network,
        'name of the module with the routers is "noc_netw0rk"; it must be "noc_network"',
    ),
]


@each("name, make, why", GAPS)
def test_the_gap_is_closed(name, make, why):
    code, line = verdict(make())
    assert code == 1, name
    assert re.search(why, line), line
