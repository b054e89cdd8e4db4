"""Claims of the load figures of multistage networks, each with a table that supports it and one that refutes it."""

import pytest

from hydranoc.measurement.point import Plan, is_stable
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.min import load_claims
from hydranoc.studies.min.load import FULL, QUICK, MinLoad, curve_name, message_rate, min_curve
from hydranoc.studies.min.load_curves import ATBM, SOFTWARE, MinCurves, measure_min_curves
from hydranoc.studies.min.load_figures import FIGURES, load_figure
from hydranoc.studies.min.shapes import CYCLE_US, Shape
from tests.hydranoc.measurement.synthetic import curve

UNI, BI = Shape("baseline", 2, 4), Shape("bi-butterfly", 2, 4)
SHARE, FLITS = 0.5, 64
LATE, EARLY = (0.3, 0.32), (0.2, 0.21)
LOADS = (0.1, 0.2)


def curves(shape, multicasts, unicasts=((100, 1), (100, 1)), saturations=(LATE, LATE), share=SHARE, flits=FLITS):
    """ATBM and software, with the same latency (cycles, half width) of each kind at all loads."""
    found = {}
    for algorithm in (ATBM, SOFTWARE):
        name = curve_name(shape, algorithm, share, flits)
        latencies = {"multicast": multicasts[algorithm], "unicast": unicasts[algorithm]}
        found[name] = curve(name, dict.fromkeys(LOADS, latencies), saturations[algorithm])
    return MinCurves(share, flits, found)


EQUAL = ((100, 1), (100, 1))


@pytest.mark.parametrize(
    ("software", "holds"),
    [((300, 3), True), ((280, 3), True), ((265, 3), False), ((280, 40), False)],
)
def test_factors_count_from_nine_tenths_with_the_whole_interval(software, holds):
    claim = load_claims.factor(UNI, 3.0, curves(UNI, ((100, 1), software)))
    assert claim.holds == holds


@pytest.mark.parametrize(
    ("software", "holds", "text"),
    [
        ((150, 5), True, "at 2 of 2 loads that both carry"),
        ((90, 2), False, "slower in UNI 16 nodes 2x2 at 0.1, UNI 16 nodes 2x2 at 0.2"),
        ((101, 5), False, "not told apart in UNI 16 nodes 2x2 at 0.1, UNI 16 nodes 2x2 at 0.2"),
    ],
)
def test_multicasts_are_faster_where_the_intervals_say_so(software, holds, text):
    claim = load_claims.multicasts_faster([UNI], curves(UNI, ((100, 1), software)))
    assert claim.holds == holds
    assert text in claim.measured


@pytest.mark.parametrize(
    ("hard", "soft", "uni_holds", "bi_holds"),
    [(LATE, EARLY, True, False), (EARLY, LATE, False, True), (EARLY, EARLY, True, True)],
)
def test_order_of_saturation(hard, soft, uni_holds, bi_holds):
    for shape, position, holds in ((UNI, 0, uni_holds), (BI, 1, bi_holds)):
        found = load_claims.order_of_saturation([shape], curves(shape, EQUAL, saturations=(hard, soft)))
        assert found[position].holds == holds


def test_a_network_that_carries_everything():
    everything = (0.4, float("inf"))
    found = load_claims.order_of_saturation([UNI], curves(UNI, EQUAL, saturations=(everything, LATE)))[0]
    assert found.holds
    assert "over 0.4 against 0.3 to 0.32" in found.measured


@pytest.mark.parametrize(
    ("hardware", "holds"),
    [((70, 1), True), ((90, 1), False), ((75, 5), False), ((50, 1), False)],
)
def test_unicasts_gain_what_the_paper_says(hardware, holds):
    uni, bi = load_claims.unicasts_faster([UNI], curves(UNI, EQUAL, unicasts=(hardware, (100, 1))))
    assert uni.holds == holds
    assert "UNI" in uni.text
    assert "BI" in bi.text


@pytest.mark.parametrize(("fewer", "holds"), [(LATE, True), (EARLY, False), ((0.15, 0.16), False)])
def test_fewer_multicasts_saturate_later(fewer, holds):
    few = curves(UNI, EQUAL, saturations=(fewer, fewer), share=0.2)
    more = curves(UNI, EQUAL, saturations=(EARLY, EARLY))
    claim = load_claims.fewer_multicasts_carry_more([UNI], few, more)
    assert claim.holds == holds
    assert claim.text == "curves of 50 % multicasts saturate earlier than those of 20 %"


def test_more_channels_carry_more():
    channels = Shape("baseline", 2, 4, 2)
    one = curves(UNI, EQUAL, saturations=(EARLY, LATE))
    many = curves(channels, EQUAL, saturations=(LATE, LATE))
    hardware, software = load_claims.more_channels_carry_more([channels], [UNI], many, one)
    assert (hardware.holds, software.holds) == (True, False)


@pytest.mark.parametrize(("added_us", "holds"), [(1.28, True), (1.35, True), (1.5, False), (1.0, False)])
def test_longer_messages_add_their_transmission(added_us, holds):
    short = curves(UNI, EQUAL)
    long = curves(UNI, ((100 + added_us / CYCLE_US, 1), (100, 1)), flits=128)
    assert load_claims.only_transmission_added([UNI], long, short).holds == holds


def test_what_half_of_the_traffic_means_in_messages():
    """10.6, 3.1 and 0.8 % of the messages in 16, 64 and 256 nodes: a multicast counts as N / 2 unicasts."""
    shares = [message_rate(Shape("baseline", 4, stages), 0.1, 0.5, 64)[1] for stages in (2, 3, 4)]
    assert shares == pytest.approx([1 / 9, 1 / 33, 1 / 129])


def test_runs_are_long_enough_for_multicasts():
    rate, fraction = message_rate(UNI, 0.1, 0.5, 64)
    cycles = min_curve(UNI, ATBM, multicast_share=0.5, flits=64).plan_at(0.1).cycles
    assert cycles * rate * UNI.nodes * fraction >= 0.99 * FULL.multicasts
    assert cycles * rate * UNI.nodes >= 0.99 * FULL.messages


def test_both_algorithms_meet_the_same_messages():
    hardware, software = (MinLoad(UNI, algorithm, 0.1, 0.5, 64) for algorithm in (ATBM, SOFTWARE))
    first, second = (experiment.run(3, 20_000) for experiment in (hardware, software))
    assert sorted(first.start_cycle) == sorted(second.start_cycle)
    assert sorted(first.kind) == sorted(second.kind)


def test_curves_from_their_runs():
    shape = Shape("baseline", 4, 2)
    found = measure_min_curves([shape], 0.5, 64, Effort(quick=True), loads=(0.05, 1.0))
    for algorithm in (ATBM, SOFTWARE):
        curve = found.of(shape, algorithm)
        assert [point.stable for point in curve.points] == [True, False]
        assert 0.05 < curve.saturation.carried < curve.saturation.diverging < 1
    assert load_claims.multicasts_faster([shape], found).holds


@pytest.mark.slow
def test_a_figure_from_its_runs():
    figure = load_figure(next(figure for figure in FIGURES if figure.number == 20), Effort(quick=True))
    assert len(figure.series) == 16
    assert figure.table[0] == "20 % multicast is 0.78 % of the messages in 64 nodes"
    assert all(len(row) == len(figure.columns) for row in figure.rows)
    assert all(series.saturation is not None for series in figure.series), "8x8 switches saturate below load 0.4"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("run", [QUICK, FULL])
def test_the_load_at_which_seeds_disagreed_diverges(run, seed):
    """145±12 with one seed and 279±32 with another, 256 nodes, 4x4 switches."""
    shape = Shape("baseline", 4, 4)
    rate, fraction = message_rate(shape, 0.25, 0.5, 64)
    plan = Plan(run.cycles(shape.nodes, rate, fraction), most_doublings=3)
    assert not is_stable(MinLoad(shape, ATBM, 0.25, 0.5, 64, seed), plan)
