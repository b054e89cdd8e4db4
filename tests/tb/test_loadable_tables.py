"""Networks whose tables are loaded: the same in every cycle as with constants, and wrong with wrong tables."""

from dataclasses import replace

import pytest

from hydranoc.lockstep.compare import Comparison, compare_network, harness_source
from rtl.generator.table_store import loaded_words
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from sim_model.messages.messages import Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from sim_model.traffic import random_traffic
from tests.tb.comparisons import assert_equal
from topology.common.lattice import lattice_network
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


def spam():
    routing = SpamRouting(SpamLabels(lattice_network(6, seed=3)), 16)
    return SpamModel(routing), spam_plan(routing)


def multistage():
    routing = MinRouting(MinNetwork("bi-butterfly", 2, 3), 16)
    return MinModel(routing), min_plan(routing)


def comparison(family) -> tuple[Comparison, list[int]]:
    model, plan = family()
    plan = replace(plan, loadable_tables=True)
    processors = len(model.network.processors)
    records = random_traffic(
        processors=processors,
        cycles=800,
        seed=5,
        messages_per_node_per_cycle=0.01,
        multicast_fraction=0.5,
        destinations=(3.0, 1.0),
        flits=12,
    )
    messages = Messages.build(records, processors=processors, header_flits=model.header_flits)
    return Comparison(model, messages, 0, 1_000, harness_source(plan)), loaded_words(plan)


@pytest.mark.parametrize("family", [spam, multistage])
def test_loaded_tables_are_as_good_as_constants(family, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(comparison(family)[0], "icarus", tmp_path)


@pytest.mark.parametrize("family", [spam, multistage])
@pytest.mark.parametrize("fault", ["none loaded", "all zero", "one word more", "first half missing"])
def test_wrong_tables_are_seen(family, fault, tmp_path, require_tool):
    require_tool("icarus")
    right, words = comparison(family)
    given = {
        "none loaded": [],
        "all zero": [0] * len(words),
        "one word more": [*words, 0],
        "first half missing": words[len(words) // 2 :],
    }[fault]
    wrong = replace(right, harness=replace(right.harness, table_words=tuple(given)))
    outcome = compare_network(wrong, "icarus", tmp_path)
    assert outcome.result.mismatches == 1
