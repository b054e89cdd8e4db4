"""What the load figures of multistage networks make of their points."""

from hydranoc.studies.min.load import LoadPoint
from hydranoc.studies.min.load_figures import KNEE, Curves, saturation_claims
from hydranoc.studies.min.shapes import Shape

UNI, BI = Shape("baseline", 2, 4), Shape("bi-butterfly", 2, 4)
LIGHT_US = 2.0


def points(shape: Shape, algorithm: str, latencies_us: list[float], kept_up: int = 99) -> list[LoadPoint]:
    """A curve with loads 0.1, 0.2 and so on; the network keeps up with the first of them."""
    return [
        LoadPoint(shape.name, algorithm, (i + 1) / 10, 1.0, 0.1, us, 0.1, 900, 100, saturated=i >= kept_up)
        for i, us in enumerate(latencies_us)
    ]


def test_a_curve_ends_at_its_knee_though_most_messages_get_through():
    curves = Curves(points(UNI, "CMIN", [LIGHT_US, 2 * LIGHT_US, KNEE * LIGHT_US, 3 * LIGHT_US]))
    assert [point.load for point in curves.carried(UNI, "CMIN")] == [0.1, 0.2]
    assert curves.saturation(UNI, "CMIN") == 0.3
    assert len(curves.stable(UNI, "CMIN")) == 4


def test_a_curve_ends_where_the_network_does_not_keep_up():
    curves = Curves(points(UNI, "CMIN", [LIGHT_US, LIGHT_US, LIGHT_US], kept_up=1))
    assert curves.saturation(UNI, "CMIN") == 0.2
    assert curves.saturation(BI, "UMIN") == float("inf")


def test_order_of_saturation():
    late, early = [LIGHT_US] * 3, [LIGHT_US, LIGHT_US, KNEE * LIGHT_US]
    for uni_atbm, uni_cmin, holds in ((late, early, True), (early, late, False), (early, early, True)):
        curves = Curves(points(UNI, "ATBM", uni_atbm) + points(UNI, "CMIN", uni_cmin))
        assert saturation_claims([UNI], curves)[0].holds == holds
        curves = Curves(points(BI, "ATBM", uni_cmin) + points(BI, "UMIN", uni_atbm))
        assert saturation_claims([BI], curves)[1].holds == holds
