"""The model of broadcasts in hypercubes, against the tables of its reference and against a plain transcription."""

import math
from collections import Counter

import pytest

from hydranoc.studies.hypercube.analytical import saturation_rate, solve, vcs_busy
from hydranoc.studies.hypercube.analytical_traffic import VARIANTS, HypercubeLoad, link_load, traffic_of

FRACTIONS = (0.005, 0.01, 0.02)
SATURATION = {
    # n, M, V: printed and fixed rate for each of the three fractions of broadcasts
    (6, 32, 2): ("0.02177", "0.02097", "0.02093", "0.01950", "0.01943", "0.01711"),
    (6, 32, 4): ("0.02851", "0.02740", "0.02734", "0.02537", "0.02527", "0.02210"),
    (6, 64, 2): ("0.01139", "0.01095", "0.01093", "0.01015", "0.01011", "0.00885"),
    (6, 64, 4): ("0.01490", "0.01429", "0.01425", "0.01319", "0.01312", "0.01142"),
    (6, 128, 2): ("0.00583", "0.00560", "0.00559", "0.00518", "0.00516", "0.00450"),
    (6, 128, 4): ("0.00762", "0.00730", "0.00728", "0.00672", "0.00669", "0.00581"),
    (7, 32, 2): ("0.02088", "0.01960", "0.01956", "0.01742", "0.01737", "0.01426"),
    (7, 32, 4): ("0.02744", "0.02565", "0.02559", "0.02265", "0.02256", "0.01835"),
    (7, 64, 2): ("0.01098", "0.01027", "0.01025", "0.00907", "0.00904", "0.00737"),
    (7, 64, 4): ("0.01440", "0.01342", "0.01339", "0.01178", "0.01173", "0.00947"),
    (7, 128, 2): ("0.00563", "0.00526", "0.00525", "0.00463", "0.00461", "0.00375"),
    (7, 128, 4): ("0.00738", "0.00687", "0.00685", "0.00601", "0.00598", "0.00481"),
    (8, 32, 2): ("0.01958", "0.01764", "0.01761", "0.01470", "0.01466", "0.01103"),
    (8, 32, 4): ("0.02575", "0.02304", "0.02300", "0.01901", "0.01895", "0.01408"),
    (8, 64, 2): ("0.01033", "0.00925", "0.00923", "0.00764", "0.00762", "0.00567"),
    (8, 64, 4): ("0.01356", "0.01207", "0.01204", "0.00987", "0.00983", "0.00724"),
    (8, 128, 2): ("0.00531", "0.00474", "0.00473", "0.00390", "0.00388", "0.00288"),
    (8, 128, 4): ("0.00696", "0.00618", "0.00616", "0.00503", "0.00501", "0.00367"),
}
LOADS = [
    HypercubeLoad(6, 2, 32, 0.01),
    HypercubeLoad(6, 4, 128, 0.02),
    HypercubeLoad(7, 3, 64, 0.005),
    HypercubeLoad(8, 4, 64, 0.02),
    HypercubeLoad(2, 2, 1, 0.5),
    HypercubeLoad(10, 8, 2, 0.0),
    HypercubeLoad(3, 5, 9, 1.0),
]


def solution_of(load, variant):
    solution = solve(load, variant)
    assert solution is not None
    return solution


def transcribed_latency(load, variant):
    """The equations in the order of the paper, and a plain iteration from S = M, half a step at a time."""
    n, vcs, m = load.dimensions, load.vcs, load.flits
    fixed = variant == "fixed"
    mean = (2**n - n - 1) / ((2 ** (n - 1) - 1) if fixed else (2**n - 1))
    l_su, l_sb = (1 - load.broadcast_fraction) * load.rate, load.broadcast_fraction * load.rate
    l_sr = (2 ** (n - 1) - 1) * l_sb
    l_cu, l_cr = l_su * (n / 2 * 2**n / (2**n - 1)) / n, mean / n * l_sr
    l_c = l_cu + l_sb + l_cr
    s, change = float(m), 1.0
    while change > 1e-11 * m:
        rho = l_c * s
        q = [1.0]
        for _ in range(vcs - 1):
            q.append(q[-1] * rho)
        q.append(q[-1] * l_c / (1 / s - l_c))
        p = [value / sum(q) for value in q]
        w_c = l_c * s**2 * (1 + (s - m) ** 2 / s**2) / (2 * (1 - rho))
        p_a, p_d = p[vcs - 1] / vcs + p[vcs], p[vcs]
        s_b = m + p_d * w_c
        s_u = 0.0
        for i in range(1, n + 1):
            blocked = sum(p_a ** (i - j) * p_d * w_c for j in range(1, i + 1))
            s_u += math.comb(n, i) / (2**n - 1) * (m + i + blocked)
        new = (s + ((l_sb + l_cr) * s_b + l_cu * s_u) / l_c) / 2
        change, s = abs(new - s), new
    l_s = l_su / n + l_sb + mean / n * l_sr
    weights = (l_sb + mean / n * l_sr, l_su / n) if fixed else (l_sb + l_sr, l_su)
    s_s = (weights[0] * s_b + weights[1] * s_u) / sum(weights)
    w_s = l_s * s_s**2 * (1 + (s_s - m) ** 2 / s_s**2) / (2 * (1 - l_s * s_s))
    v_bar = sum(i * i * p[i] for i in range(vcs + 1)) / sum(i * p[i] for i in range(vcs + 1))
    return n * ((s_b + w_s) * v_bar + 1)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("load", LOADS)
def test_latency_grows_up_to_saturation_and_ends_there(load, variant):
    saturation = saturation_rate(load, variant)
    solutions = [solution_of(load.at(share * saturation), variant) for share in (0, 1e-9, 0.3, 0.6, 0.9, 0.999, 1)]
    latencies = [solution.latency for solution in solutions]
    assert latencies == sorted(latencies)
    assert solutions[-1].channel.utilisation < 0.9
    for solution in solutions:
        assert solution.channel.mean_time == pytest.approx(solution.channel.service_time, rel=1e-12)
        assert solution.traffic.injection * solution.injection_service_time < 1
    for share in (1 + 1e-9, 1.1, 3, 1e6):
        assert solve(load.at(share * saturation), variant) is None
    assert solve(load.at(saturation / link_load(load.at(saturation), variant)), variant) is None


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("load", LOADS)
def test_roots_meet_at_saturation(load, variant):
    # Close to saturation the time is as sensitive to the rate as a root that merges with another: like a square root.
    saturation = saturation_rate(load, variant)
    end, *times = (
        solution_of(load.at((1 - gap) * saturation), variant).channel.service_time for gap in (0, 1e-6, 4e-6, 16e-6)
    )
    below = [end - time for time in times]
    assert below[1] / below[0] == pytest.approx(2, rel=0.02)
    assert below[2] / below[1] == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("load", LOADS)
def test_plain_transcription(load, variant):
    saturation = saturation_rate(load, variant)
    for share in (1e-6, 0.2, 0.5, 0.8, 0.95, 0.99):
        at = load.at(share * saturation)
        assert solution_of(at, variant).latency == pytest.approx(transcribed_latency(at, variant), rel=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_zero_load(variant):
    assert solution_of(HypercubeLoad(6, 2, 32, 0.01), variant).latency == 198
    for n in range(2, 11):
        for flits in (1, 32, 128):
            for fraction in (0.0, 0.02, 1.0):
                assert solution_of(HypercubeLoad(n, 4, flits, fraction), variant).latency == n * (flits + 1)


def test_link_load():
    # Simulation: .1514 and .2602.
    load = HypercubeLoad(6, 4, 32, 0.01, 0.0078)
    assert f"{link_load(load, 'fixed'):.4f} {link_load(load, 'printed'):.4f}" == "0.1517 0.1397"
    load = HypercubeLoad(8, 4, 64, 0.02)
    load = load.at(0.5 * saturation_rate(load, "fixed"))
    assert f"{link_load(load, 'fixed'):.4f} {link_load(load, 'printed'):.4f}" == "0.2615 0.1898"
    assert link_load(load, "fixed") == solution_of(load, "fixed").traffic.channel * 64


@pytest.mark.parametrize("n", range(2, 11))
def test_traffic_counts_the_edges_of_broadcast_trees(n):
    # A node that a copy reached along the k-th dimension sends along all that come after it.
    left = [n - 1 - k for k in range(n)]
    copies = Counter()
    while left:
        node = left.pop()
        copies[node] += 1
        left.extend(range(node))
    receivers, forwarders = 2**n - 1, 2 ** (n - 1) - 1
    assert copies == {count: 2 ** (n - count - 1) for count in range(n)}
    assert copies.total() == receivers
    assert copies.total() - copies[0] == forwarders
    sent = sum(count * nodes for count, nodes in copies.items())
    assert sent + n == receivers

    load = HypercubeLoad(n, 2, 32, 0.3, 0.001)
    traffic = {variant: traffic_of(load, variant) for variant in VARIANTS}
    assert traffic["printed"].mean_copies == pytest.approx(sent / receivers)
    assert traffic["fixed"].mean_copies == pytest.approx(sent / forwarders)
    for rates in traffic.values():
        assert sum(rates.hop_shares) == pytest.approx(1)
        assert rates.mean_hops == pytest.approx(n / 2 * 2**n / receivers)
        assert rates.replicas == pytest.approx(forwarders * rates.broadcasts)
        assert rates.unicasts + rates.broadcasts == pytest.approx(0.001)
        broadcasts = rates.channel_broadcasts + rates.channel_replicas
        assert rates.channel == pytest.approx(rates.channel_unicasts + broadcasts)
        assert rates.channel_broadcast_share == pytest.approx(broadcasts / rates.channel)
        assert rates.injection == pytest.approx(rates.unicasts / n + broadcasts)
    edges = traffic["fixed"].channel_broadcasts + traffic["fixed"].channel_replicas
    assert edges == pytest.approx(0.3 * 0.001 * receivers / n)
    short = traffic["printed"].channel_replicas / traffic["fixed"].channel_replicas
    assert short == pytest.approx(forwarders / receivers)


def test_vcs_busy():
    for vcs in (2, 3, 8):
        shares = vcs_busy(vcs, 0.4)
        assert sum(shares) == pytest.approx(1)
        assert shares == pytest.approx([0.6 * 0.4**busy for busy in range(vcs)] + [0.4**vcs])


def test_quantities_fit_together():
    solution = solution_of(HypercubeLoad(6, 4, 32, 0.01, 0.018), "fixed")
    channel = solution.channel
    assert channel.utilisation == solution.traffic.channel * channel.service_time
    assert channel.adaptive_busy == pytest.approx(channel.vcs_busy[3] / 4 + channel.vcs_busy[4])
    assert channel.blocking[0] == channel.vcs_busy[4]
    assert channel.blocking[2] == pytest.approx(channel.adaptive_busy**2 * channel.vcs_busy[4])
    assert channel.broadcast_time == 32 + channel.broadcast_blocking
    assert channel.unicast_times[0] == 32 + 1 + channel.broadcast_blocking
    assert channel.unicast_times[1] - channel.unicast_times[0] == pytest.approx(1 + channel.blocking[1] * channel.wait)
    assert channel.broadcast_time < solution.injection_service_time < channel.unicast_time < channel.unicast_times[-1]
    assert 1 < solution.multiplexing < 4
    assert solution.latency == 6 * (solution.step_latency + 1)
    assert solution.load.rate == 0.018
    assert solution.variant == "fixed"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1, 2, 32, 0.01, 0.0), "Dimensions are 1; they must be 2 to 10"),
        ((11, 2, 32, 0.01, 0.0), "Dimensions are 11; they must be 2 to 10"),
        ((6, 1, 32, 0.01, 0.0), "vcs is 1; it must be at least 2"),
        ((6, 2, 0, 0.01, 0.0), "Flits are 0; they must be at least 1"),
        ((6, 2, 32, -0.01, 0.0), r"Broadcast fraction is -0\.01; it must be 0 to 1"),
        ((6, 2, 32, 1.5, 0.0), r"Broadcast fraction is 1\.5; it must be 0 to 1"),
        ((6, 2, 32, math.nan, 0.0), "Broadcast fraction is nan; it must be 0 to 1"),
        ((6, 2, 32, 0.01, -1.0), r"Rate is -1\.0; it must be at least 0 and finite"),
        ((6, 2, 32, 0.01, math.inf), "Rate is inf; it must be at least 0 and finite"),
        ((6, 2, 32, 0.01, math.nan), "Rate is nan; it must be at least 0 and finite"),
    ],
)
def test_load_out_of_range(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        HypercubeLoad(*values)


@pytest.mark.parametrize("function", [solve, saturation_rate, link_load, traffic_of])
def test_unknown_variant(function):
    with pytest.raises(ValueError, match=r"^Variant is 'Fixed'; it must be printed or fixed$"):
        function(HypercubeLoad(6, 2, 32, 0.01), "Fixed")
