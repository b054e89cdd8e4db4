"""The stored figures: written, read, found again, and compared."""

import dataclasses

import pytest

from fpga.common.area import Area, Shortage
from fpga.common.devices import DEVICES
from fpga.common.subject import network_subject, router_subject
from fpga.common.timing import Hop, Path, Timing
from hydranoc.errors import ConfigError
from hydranoc.fpga.baseline import (
    changes,
    entry_of,
    find_entry,
    network_digest,
    read_baseline,
    regressions,
    write_baseline,
)
from hydranoc.fpga.run import Measurement
from rtl.spam.network import spam_plan
from tests.networks import figure_1, ring
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

ECP5 = DEVICES["ecp5"]
PATH = Path((Hop("a", 0.5, 1.0), Hop("b", 0.2, 0.0)))


def plan_of(network, **settings):
    return spam_plan(SpamRouting(SpamLabels(network), 16), **settings)


PLAN = plan_of(figure_1())


def measurement(lut4=1000, flip_flops=300, memory=40, clocks=(90.0, 110.0, 100.0), shortages=()):
    area = Area(lut4, flip_flops, {"TRELLIS_DPR16X4": memory, "DP16KD": 0})
    return Measurement(router_subject(PLAN, 3), area, tuple(Timing(mhz, PATH) for mhz in clocks), shortages)


ENTRY = entry_of("figure", measurement(), PLAN, ECP5, ["a 1", "b 2"])


def test_written_and_read(tmp_path):
    other = dataclasses.replace(ENTRY, name="a", switch=1)
    write_baseline([ENTRY, other], tmp_path / "b.json")
    assert read_baseline(tmp_path / "b.json") == [other, ENTRY]
    assert ENTRY.fmax_mhz == 100.0
    assert read_baseline(tmp_path / "none.json") == []


@pytest.mark.parametrize("text", ["{", "[]", '{"entries": [{"name": "a"}]}'])
def test_what_is_no_baseline(text, tmp_path):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(ConfigError, match=r"b.json: the baseline must be JSON with entries of FPGA figures"):
        read_baseline(tmp_path / "b.json")


def test_an_entry_is_found_by_what_decides_about_the_router():
    assert find_entry([ENTRY], PLAN, 3, ECP5) == ENTRY
    assert find_entry([ENTRY], PLAN, 4, ECP5) is None
    assert find_entry([ENTRY], PLAN, 3, DEVICES["ice40-hx8k"]) is None
    assert find_entry([ENTRY], plan_of(figure_1(), buffer_flits=3), 3, ECP5) is None
    assert find_entry([ENTRY], plan_of(ring(6)), 3, ECP5) is None
    assert network_digest(figure_1()) == network_digest(figure_1()) != network_digest(ring(6))


def test_a_parameter_that_came_later_does_not_matter_unless_an_entry_names_it():
    later = dataclasses.replace(PLAN, parameters={**PLAN.parameters, "multicast": False})
    assert find_entry([ENTRY], later, 3, ECP5) == ENTRY
    exact = entry_of("exact", measurement(), later, ECP5, [])
    assert find_entry([ENTRY, exact], later, 3, ECP5) == exact
    assert find_entry([ENTRY, exact], PLAN, 3, ECP5) == ENTRY


def test_a_guarded_router_is_not_compared_with_one_without_guards():
    guarded = plan_of(figure_1(), guard=True)
    assert find_entry([ENTRY], guarded, 3, ECP5) is None
    exact = entry_of("guarded", measurement(), guarded, ECP5, [])
    assert find_entry([ENTRY, exact], guarded, 3, ECP5) == exact
    assert find_entry([ENTRY, exact], PLAN, 3, ECP5) == ENTRY


@pytest.mark.parametrize(
    ("now", "texts"),
    [
        (measurement(), []),
        (measurement(lut4=1050, flip_flops=315, memory=42, clocks=(95.0, 120.0, 80.0)), []),
        (measurement(lut4=10, flip_flops=1, memory=0, clocks=(500.0,)), []),
        (measurement(lut4=1051), ["lut4 is 5.1% worse than in the baseline"]),
        (measurement(flip_flops=330), ["flip_flops is 10.0% worse than in the baseline"]),
        (measurement(memory=60), ["memory_cells is 50.0% worse than in the baseline"]),
        (measurement(clocks=(94.0, 94.0, 200.0)), ["fmax_mhz is 6.0% worse than in the baseline"]),
        (measurement(clocks=(), shortages=(Shortage("LC", 2, 1),)), ["it does not fit the device any more"]),
    ],
)
def test_regressions(now, texts):
    assert regressions(now, ENTRY, 0.05) == texts


def test_something_out_of_nothing_is_a_change():
    entry = dataclasses.replace(ENTRY, memories={})
    assert changes(measurement(), entry)["memory_cells"] == 1.0
    assert changes(measurement(memory=0), entry)["memory_cells"] == 0.0


@pytest.mark.parametrize(
    "unfit",
    [
        measurement(clocks=(), shortages=(Shortage("LC", 2, 1),)),
        dataclasses.replace(measurement(), subject=network_subject(PLAN)),
    ],
)
def test_what_cannot_be_an_entry(unfit):
    with pytest.raises(ValueError, match="A baseline entry must be a router that fits the device, not '"):
        entry_of("x", unfit, PLAN, ECP5, [])
