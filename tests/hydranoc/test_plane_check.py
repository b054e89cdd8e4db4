"""``hydranoc check`` of networks with a collective plane."""

import json
from functools import cached_property

from hydranoc.cli import run
from topology.collectives.tables import PlaneTables

NETWORK = {
    "family": "torus",
    "topology": {"kind": "mesh", "rows": 3, "columns": 3},
    "collectives": {"groups": ["all", [0, 8], [3]], "window": 3},
}


def written(tmp_path, **network):
    config = tmp_path / "plane.yaml"
    config.write_text(json.dumps({"network": {**NETWORK, **network}}))
    return config


def row(out, name):
    return next(line.removeprefix(name).strip() for line in out.splitlines() if line.startswith(name))


def test_what_is_proved_is_printed(tmp_path, capsys):
    assert run(["check", str(written(tmp_path))]) == 0
    out = capsys.readouterr().out
    assert row(out, "plane's tree") == "spans 9 switches from root s4, depth 2, and reaches all 9 processors"
    assert row(out, "plane's tables") == "masks are those of the members of 3 groups, with top s4, s4, s3"
    assert row(out, "plane's deadlock").startswith("impossible: buffers in the order of the tree (")
    assert row(out, "plane's buffers") == (
        "large enough, 1 word per cycle: window 3, 7 words in switches, 7 in endpoints; a word within 64 cycles"
    )


def test_the_same_as_json(tmp_path, capsys):
    assert run(["check", str(written(tmp_path)), "--json"]) == 0
    plane = json.loads(capsys.readouterr().out)["plane"]
    assert plane["right"] is True
    assert plane["tables"] == {"fault": "", "tops": [4, 4, 3]}
    assert plane["tree"]["foreign_links"] == []
    assert plane["deadlock"]["free"] is True
    # 9 processors and 8 switches in group 0, 2 and 4 in group 1 (p0, s0, s1; p8, s8, s5 or s7), 1 in group 2
    assert plane["deadlock"]["places"] == 3 * (17 + 6 + 1)
    assert plane["buffers"]["window"] == 3


def test_planes_of_barriers_and_slow_buffers(tmp_path, capsys):
    barriers = {"groups": 1, "operators": []}
    assert run(["check", str(written(tmp_path, collectives=barriers))]) == 0
    assert row(capsys.readouterr().out, "plane's buffers") == (
        "large enough: window 2, barriers alone; a word within 5 cycles"
    )
    slow = {"groups": 1, "buffer_words": 2}
    assert run(["check", str(written(tmp_path, collectives=slow))]) == 0
    out = capsys.readouterr().out
    assert row(out, "plane's buffers").startswith("large enough, at most 0.29 words per cycle: window 2, 2 words")


def test_links_of_the_plane_alone_are_counted(tmp_path, capsys):
    tree = [[n, 0] for n in range(1, 9)]
    assert run(["check", str(written(tmp_path, collectives={"tree": tree}))]) == 0
    assert row(capsys.readouterr().out, "plane's tree").endswith("(6 of 8 links beside those of the network)")


def test_a_wrong_mask_is_refused(tmp_path, capsys, monkeypatch):
    """As after a fault of the constructor: the check computes masks once more."""
    right = PlaneTables.taking_part.func

    def wrong(self):
        masks = right(self).copy()
        masks[0, 0] ^= 1
        return masks

    wrong_masks = cached_property(wrong)
    wrong_masks.__set_name__(PlaneTables, "taking_part")
    monkeypatch.setattr(PlaneTables, "taking_part", wrong_masks)
    topology = {"kind": "mesh", "rows": 1, "columns": 2}
    config = written(tmp_path, topology=topology, collectives={"groups": "all"})
    proof = tmp_path / "proof.json"
    assert run(["check", str(config), "--certificate", str(proof), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    fault = "branch s1 of s0 does not take part in g0, and members are behind it"
    assert said["plane"]["tables"] == {"fault": fault, "tops": []}
    assert said["right"] is False
    assert said["certificate"]["file"] == str(proof)
    assert said["plane_certificate"] == {"file": None, "verdict": fault}
    assert not (tmp_path / "proof_plane.json").exists()
    assert run(["check", str(config)]) == 1
    assert row(capsys.readouterr().out, "plane's tables") == f"FAIL: {fault}"
