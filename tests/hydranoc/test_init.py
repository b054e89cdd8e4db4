"""``init``: a valid first configuration of every family that explains every key; no file is overwritten."""

import json
import re

import pytest

from hydranoc import load
from hydranoc.cli import run
from hydranoc.config.reference.json_schema import json_schema
from hydranoc.families.registry import FAMILIES


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_newcomer_needs_no_argument(empty, capsys):
    assert run(["init"]) == 0
    assert capsys.readouterr().out == "network.yaml\nhydranoc.schema.json\n\nnext: hydranoc check network.yaml\n"
    assert run(["check", "network.yaml"]) == 0
    assert json.loads((empty / "hydranoc.schema.json").read_text()) == json_schema(FAMILIES)
    assert (empty / "network.yaml").read_text().startswith("# yaml-language-server: $schema=hydranoc.schema.json\n")


@pytest.mark.parametrize("family", FAMILIES)
def test_first_configurations_are_right(family, empty):
    assert run(["init", "first.yaml", "--family", family]) == 0
    design = load("first.yaml")
    assert design.family.name == family
    assert design.check().right
    outcome = design.simulate()
    assert outcome.right
    assert outcome.figures["latency_cycles"]["unicast"]["count"] > 100
    assert max(len(line) for line in (empty / "first.yaml").read_text().splitlines()) <= 120


@pytest.mark.parametrize("family", FAMILIES)
def test_keys_that_are_left_out_have_the_value_that_stands_there(family, empty):
    assert run(["init", "first.yaml", "--family", family]) == 0
    text = (empty / "first.yaml").read_text()
    full = re.sub(r"^( *)#(\w+:(?: .*)?)$", r"\1\2", text, flags=re.MULTILINE)
    assert full != text
    (empty / "full.yaml").write_text(full)
    first, second = load("first.yaml").config, load("full.yaml").config
    assert (first.network_section, first.traffic, first.hosts) == (second.network_section, second.traffic, second.hosts)
    section = FAMILIES[family].network_section
    assert all(re.search(rf"^ *#?{key}:", text, flags=re.MULTILINE) for key in section.model_fields)


def test_nothing_is_overwritten(empty, capsys):
    (empty / "network.yaml").write_text("mine\n")
    assert run(["init"]) == 2
    assert capsys.readouterr().err == ("error: network.yaml: is there already; name another file, or move it away\n")
    assert (empty / "network.yaml").read_text() == "mine\n"
    assert not (empty / "hydranoc.schema.json").exists()


def test_an_unknown_family_is_refused(empty, capsys):
    assert run(["init", "--family", "spm"]) == 2
    assert "spam" in capsys.readouterr().err
    assert list(empty.iterdir()) == []
