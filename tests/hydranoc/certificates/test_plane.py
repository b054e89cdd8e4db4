"""Certificates of collective planes: sound ones are accepted, and everything else is refused with the reason."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from hydranoc import load
from hydranoc.certificates.checker.theorems import ALL_THEOREMS, PLANE
from hydranoc.certificates.writing import CHECKER, MANIFEST, certificate_text, digests_text
from hydranoc.cli import run
from rtl.collectives.generate import generate_plane
from tests.alterations.hardware import instances, replaced
from tests.alterations.networks import PLANES, TOP, Checker, Offer, offer, plane_offer
from tests.each import each
from tests.sampled import sampled
from topology.collectives.proof import PlaneFacts, _Proof

MESH = {"family": "torus", "topology": {"kind": "mesh", "rows": 3, "columns": 3}}
OTHERS: dict[str, dict[str, Any]] = {
    "mesh": {**MESH, "link_cycles": 1, "collectives": {"groups": 1, "operators": ["xor"]}},
    "torus": {**MESH, "topology": {**MESH["topology"], "kind": "torus"}, "collectives": {"groups": [[4], [0, 8]]}},
    "given tree": {**MESH, "collectives": {"tree": [[n, 4] for n in range(9) if n != 4], "operators": []}},
    "chain": {**MESH, "collectives": {"tree": [[n + 1, n] for n in range(8)], "groups": [[0, 8], [3, 4], [5]]}},
    "min": {
        "family": "min",
        "topology": {"kind": "omega", "radix": 2, "stages": 3},
        "link_cycles": 3,
        "collectives": {"groups": 2, "buffer_words": 8},
    },
    "one switch": {
        "family": "spam",
        "topology": {"switches": 1, "edges": [], "processors": [0, 0, 0]},
        "collectives": {"groups": 8, "timeout_cycles": 3},
    },
}


@cache
def checker() -> Checker:
    return Checker()


def refused(offered: Offer) -> str:
    """The reason, without its first word."""
    code, line = checker().judge(offered)
    assert code == 1, line
    return line.removeprefix("refused: ")


def certificate(offered: Offer, **fields: Any) -> Offer:
    """With replaced fields of the certificate; None removes one."""
    changed = {**json.loads(offered.certificate), **fields}
    kept = {name: value for name, value in changed.items() if value is not None}
    return replace(offered, certificate=json.dumps(kept))


def manifest(offered: Offer, **fields: Any) -> Offer:
    return replace(offered, manifest=json.dumps({**json.loads(offered.manifest), **fields})).signed()


def order(offered: Offer) -> list[str]:
    return json.loads(offered.certificate)["order"]


@pytest.mark.parametrize("name", sampled([*PLANES, *OTHERS], (*PLANES, "one switch", "chain")))
def test_certificates_of_sound_planes_are_accepted(name):
    offered = offer(name) if name in PLANES else plane_offer(OTHERS[name])
    code, line = checker().judge(offered)
    assert code == 0, line
    sizes = f"{len(json.loads(offered.manifest)['switches'])} switches, "
    assert line.startswith(f"accepted: buffers in the order of the tree; {sizes}")


@each("name", PLANES)
def test_every_bit_of_masks_and_tops_counts(name):
    """In the Verilog alone, and in Verilog and manifest."""
    sound = offer(name)
    switches = json.loads(sound.manifest)["switches"]
    count = 0
    for place, about in enumerate(switches):
        (placed,) = [one for one in instances(sound.verilog) if one.name == about["instance"]]
        for pin in placed.pins:
            found = re.fullmatch(r"(\d+)'h([0-9a-f]+)", pin.net)
            if pin.name not in ("taking_part", "top") or found is None:
                continue
            for bit in range(int(found[1])):
                value = about[pin.name] ^ 1 << bit
                net = f"{found[1]}'h{value:0{len(found[2])}x}"
                altered = replace(sound, verilog=replaced(sound.verilog, pin.span, net)).signed()
                assert refused(altered).startswith(f"{net} drives {about['instance']}.{pin.name}, not ")
                changed = [{**one, pin.name: value} if at == place else one for at, one in enumerate(switches)]
                both = manifest(altered, switches=changed)
                assert refused(both).startswith(f"{pin.name} of s{about['switch']} of the manifest is {value}; it must")
                count += 1
    groups = len(json.loads(sound.manifest)["groups"])
    assert count == groups * (len(switches) + sum(len(about["branches"]) for about in switches))


def test_every_field_of_a_certificate_counts():
    sound = offer("plane")
    fields = json.loads(sound.certificate)
    digests = {"manifest_sha256", "verilog_sha256"}
    assert set(fields) == {"format", "family", "theorem", "premises", "order", "word_cycles"} | digests
    for name, value in fields.items():
        for other in (None, [], {}, "", 1, value[:-1], value[1:], value + value[:1]):
            assert refused(certificate(sound, **{name: other})), name
    first, *rest = fields["word_cycles"]
    reason = f"item 0 of word_cycles of the certificate is {first - 1}; it must be {first}"
    assert refused(certificate(sound, word_cycles=[first - 1, *rest])) == reason
    assert refused(certificate(sound, more=1)) == "the certificate has a field that is unknown: 'more'"
    theorem, premises = ALL_THEOREMS[PLANE]
    assert (fields["theorem"], fields["premises"]) == (theorem, list(premises))


def test_every_wait_must_rise():
    """The two places of a wait exchanged; and places that are missing, twice, or of another plane."""
    sound = offer("plane")
    plane = load({"network": PLANES["plane"]}).plane
    assert plane is not None
    places = order(sound)
    waits = list(_Proof(PlaneFacts.of(plane.tables)).waits())
    assert len(waits) > 40
    for held, wanted in waits:
        swapped = {held.name: wanted.name, wanted.name: held.name}
        reason = refused(certificate(sound, order=[swapped.get(place, place) for place in places]))
        assert reason.endswith("which does not come later in the order")
    for at, place in enumerate(places):
        assert refused(certificate(sound, order=[*places[:at], *places[at + 1 :]])) == f"{place} is missing in order"
        assert refused(certificate(sound, order=[*places, place])) == f"{place} is twice in order"
    assert refused(certificate(sound, order=[*places, "room g0 s9->s1"])).endswith("is none of this network's")


def test_other_groups_with_the_same_shape_are_refused():
    """Masks, manifest and certificate agree, but the members are not those that the reader means."""
    sound = offer("plane")
    section = {**PLANES["plane"], "collectives": {**PLANES["plane"]["collectives"], "groups": [[0, 1, 2, 3], [1, 3]]}}
    other = plane_offer(section)
    assert checker().judge(other)[0] == 0
    assert (
        refused(replace(other, digests=sound.digests))
        == "item 1 of item 1 of groups of the manifest is 3; it must be 2"
    )


def test_a_certificate_of_another_tree_is_refused():
    sound, other = offer("plane"), plane_offer({**PLANES["plane"], "root": 2})
    assert checker().judge(other)[0] == 0
    mixed = replace(sound, manifest=other.manifest, verilog=other.verilog).signed()
    assert "is none of this network's" in refused(mixed)


def test_links_that_are_exchanged_are_refused():
    sound = offer("plane")
    wires = sorted(set(re.findall(r"\(endpoint_p\d+__up__payload\)", sound.verilog)))
    exchanged = sound.verilog.replace(wires[0], "\0").replace(wires[1], wires[0]).replace("\0", wires[1])
    reason = refused(replace(sound, verilog=exchanged).signed())
    assert re.match(r"endpoint_p\d__up__payload drives switch_s\d\.up_\d__payload, not endpoint_p", reason)


def test_planes_with_an_observation_port_have_no_certificate():
    plane = load({"network": PLANES["plane"]}).plane
    assert plane is not None
    files = generate_plane(plane.plan, TOP, observes=True).files
    text = certificate_text(PLANE, {"order": order(offer("plane")), "word_cycles": []}, files, TOP)
    offered = Offer(files[MANIFEST], files[f"{TOP}.v"], "", text, digests_text(files, TOP))
    assert refused(offered).startswith("observed of the manifest is [")


def test_planes_with_registers_have_certificates():
    design = load({"network": PLANES["plane-barriers"]})
    generated = design.plane_verilog(registers=True)
    assert generated is not None
    assert {"noc_plane_regs.h", "noc_plane_registers.md"} <= set(generated.files)
    certificate = design.plane_certificate(generated)
    assert certificate.text is not None, certificate.verdict


@pytest.mark.slow
def test_the_verb_writes_registers_of_the_plane(tmp_path):
    config = tmp_path / "plane.yaml"
    config.write_text(json.dumps({"network": PLANES["plane-barriers"]}))
    assert run(["verilog", str(config), "-o", str(tmp_path / "out"), "--registers", "axi-lite"]) == 0
    assert {"noc_regs.h", "noc_plane_regs.h"} <= {path.name for path in (tmp_path / "out").iterdir()}


def test_certificates_of_networks_and_planes_are_not_exchanged():
    plane, network = offer("plane"), offer("spam")
    assert refused(replace(network, certificate=plane.certificate).signed()) == "the file of digests lacks 'groups'"
    assert refused(replace(plane, certificate=network.certificate).signed()) == "there is no theorem for family None"


def test_the_verb_writes_files_that_a_copy_of_the_checker_accepts(tmp_path, capsys):
    config = tmp_path / "plane.yaml"
    config.write_text(json.dumps({"network": PLANES["plane"]}))
    proof, digests = tmp_path / "proof.json", tmp_path / "digests.json"
    assert run(["check", str(config), "--certificate", str(proof), "--digests", str(digests)]) == 0
    said = capsys.readouterr().out
    files = ["noc_plane.json", "noc_plane.v", str(tmp_path / "proof_plane.json"), str(tmp_path / "digests_plane.json")]
    assert f"checker {' '.join(files)}\n" in said
    generated = load(config).plane_verilog()
    assert generated is not None
    for name, text in generated.files.items():
        (tmp_path / name).write_text(text)
    shutil.copytree(CHECKER, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-I", "copy", *files], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert f"certificate: {tmp_path / 'proof_plane.json'}, {done.stdout.strip()}\n" in said
