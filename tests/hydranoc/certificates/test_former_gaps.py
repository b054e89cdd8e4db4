"""Wrong networks that an earlier checker accepted, because missing parts were not checked, and two crashes."""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from hydranoc import load
from hydranoc.certificates.writing import digests_text
from tests.hydranoc.certificates.networks import NETWORKS, Certified, certified, verdict

LONG = {"family": "min", "topology": {"kind": "baseline", "radix": 2, "stages": 3}}
STREAM = {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}}


@cache
def generated(section: str, **options: Any) -> Certified:
    """The files of a network with other ends or parameters; ``section`` is JSON."""
    design = load({"network": json.loads(section)})
    files = design.verilog(**options).files
    evidence = design.family.evidence(design.config.network_section, design.routing)
    return Certified(files, evidence, digests=digests_text(files, "noc"))


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


def other_rule(said: str, made: str) -> Certified:
    """Verilog of one rule for virtual channels, with manifest and certificate of another."""
    section = {**NETWORKS["dateline"], "lane_rule": said}
    network = generated(json.dumps(section))
    other = generated(json.dumps({**section, "lane_rule": made})).files["noc.v"]
    theirs, ours = (f"_torus_router_p5_l2_b4_r1_{rule}" for rule in (made, said))
    return network.with_file("noc.v", other.replace(theirs, ours))


def wrong_end(pin: str, right: str, wrong: str) -> Certified:
    network = generated(json.dumps(STREAM), axi_stream="tuser")
    return network.with_verilog(f".{pin}({right})", f".{pin}({wrong})")


def commented_router() -> Certified:
    """Comments hide that another router is instantiated."""
    return edited("dateline", r"(  noc_torus_router\w+ router_s0 \(\n.*?\n  \);\n)", r"/*\n\1*/\n\1")


def doubled_key() -> Certified:
    network = certified("demo")
    return network.with_file("manifest.json", network.files["manifest.json"].replace("{", '{"family": "min",', 1))


GAPS: list[tuple[str, Callable[[], Certified], str]] = [
    ("no credits", lambda: without("dateline", "credited_0"), "credited_0 of router_s0 is not connected"),
    ("no releases", lambda: without("hypercube", "released_0"), "released_0 of router_s0 is not connected"),
    ("no ready", link_without_ready, "1'h1 drives router_s.*outputs__2__ready, not router_s"),
    (
        "long links",
        long_links_called_short,
        "channels is noc_transfer_monitor_64 in the Verilog, not .*_32",
    ),
    ("bypassed stage", bypassed_stage, "router_s0__outputs__0__valid drives router_s4.inputs__0__valid"),
    ("balanced as dateline", lambda: other_rule("dateline", "balanced"), "is not what hydranoc writes"),
    ("dateline as balanced", lambda: other_rule("balanced", "dateline"), "is not what hydranoc writes"),
    (
        "clock tied",
        lambda: edited("demo", r"( router_s0 \(\n    \.clk\()clk\)", r"\g<1>1'h0)"),
        "1'h0 drives router_s0.clk, not clk",
    ),
    (
        "reset tied",
        lambda: edited("demo", r"( router_s0 \(\n.*?    \.rst\()rst\)", r"\g<1>1'h1)"),
        "1'h1 drives router_s0.rst, not rst",
    ),
    ("unicast key", lambda: wrong_end("unicast_key", "3'h4", "3'h5"), "3'h5 drives ejector_n0.unicast_key, not 3'h4"),
    ("node", lambda: wrong_end("node", "2'h0", "2'h1"), "2'h1 drives injector_n0.node, not 2'h0"),
    ("commented router", commented_router, r"has '/\*.*', which is no wire, instance or constant"),
    ("doubled key", doubled_key, "family is twice in a mapping"),
    (
        "huge constant",
        lambda: edited("demo", r"\.port_class\(\d+'h", ".port_class(1000000000000'h"),
        "port_class of router_s0 is no constant of",
    ),
]


@pytest.mark.parametrize(("make", "why"), [gap[1:] for gap in GAPS], ids=[gap[0] for gap in GAPS])
def test_the_gap_is_closed(make, why, tmp_path):
    code, line = verdict(make(), tmp_path)
    assert code == 1, line
    assert re.search(why, line), line


@pytest.mark.parametrize("file", ["manifest.json", "certificate.json", "digests.json"])
@pytest.mark.parametrize("brackets", ["[" * 100_000, '{"a":' * 100_000, "[" * 20 + "]" * 20])
def test_nested_brackets_are_refused(file, brackets, tmp_path):
    network = certified("dateline")
    texts = {"certificate.json": network.certificate(), "digests.json": network.trusted()}
    changed = {file: brackets}
    offered = Certified(
        {**network.files, **{name: text for name, text in changed.items() if name == "manifest.json"}},
        text=changed.get("certificate.json", texts["certificate.json"]),
        digests=changed.get("digests.json", texts["digests.json"]),
    )
    code, line = verdict(offered, tmp_path)
    assert code == 1
    assert "nests more than 16 brackets" in line
