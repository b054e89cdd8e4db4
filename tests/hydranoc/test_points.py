"""Points of a figure: their order, their progress, and what is left of them after an interruption."""

from dataclasses import dataclass

import pytest

from hydranoc.studies.common.points import KeptPoints, measure_points


@dataclass(frozen=True)
class Point:
    twice: int
    details: dict[str, float]


def double(number: int) -> Point:
    if number < 0:
        raise KeyboardInterrupt
    return Point(2 * number, {"half": number / 2})


@pytest.mark.parametrize("processes", [1, 2])
def test_points_come_in_order_and_report_progress(processes):
    seen = []
    points = measure_points(
        double,
        [3, 1, 2],
        point_type=Point,
        processes=processes,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [point.twice for point in points] == [6, 2, 4]
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_an_interrupted_figure_goes_on(tmp_path):
    path = tmp_path / "new" / "points.jsonl"
    with pytest.raises(KeyboardInterrupt):
        measure_points(double, [3, 1, -1, 2], kept=KeptPoints(path), point_type=Point)
    seen = []
    kept = KeptPoints(path)
    assert len(kept) == 2
    points = measure_points(
        double, [3, 1, 4, 2], kept=kept, point_type=Point, progress=lambda done, _total: seen.append(done)
    )
    assert points == [double(number) for number in (3, 1, 4, 2)]
    assert seen == [2, 3, 4]
    kept.drop()
    assert not path.exists()


def test_a_line_that_was_cut_off_does_not_count(tmp_path):
    path = tmp_path / "points.jsonl"
    measure_points(double, [3, 1], kept=KeptPoints(path), point_type=Point)
    path.write_text(path.read_text()[:-5])
    kept = KeptPoints(path)
    assert kept.get("3") == {"twice": 6, "details": {"half": 1.5}}
    assert kept.get("1") is None
    assert measure_points(double, [1], kept=kept, point_type=Point) == [double(1)]
    assert len(KeptPoints(path)) == 2
