"""Points of a figure: order, progress, and the rest after an interruption."""

from dataclasses import dataclass

import pytest

from hydranoc.measurement.kept_points import KeptPoints, measure_curves, measure_points


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


def halving(start: int, asked: list[int] | None = None):
    """Requests half of the last result until that is odd."""
    number, sums = start, []
    while number % 2 == 0:
        if asked is not None:
            asked.append(number)
        point = yield number
        sums.append(point.twice)
        number = point.twice // 4
    return sums


@pytest.mark.parametrize("processes", [1, 2])
def test_curves_decide_by_their_points_what_comes_next(processes):
    seen = []
    returned = measure_curves(
        double,
        [halving(start) for start in (12, 7, 16, 6)],
        point_type=Point,
        most_tasks=20,
        processes=processes,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert returned == [[24, 12], [], [32, 16, 8, 4], [12]]
    assert seen == [*((done, 20) for done in range(1, 7)), (20, 20)]


def test_curves_go_on_from_kept_points(tmp_path):
    path = tmp_path / "points.jsonl"
    measure_curves(double, [halving(12)], point_type=Point, most_tasks=2, kept=KeptPoints(path))
    asked: list[int] = []

    def fail(_number: int) -> Point:
        raise AssertionError("everything was kept")

    again = measure_curves(fail, [halving(12, asked)], point_type=Point, most_tasks=2, kept=KeptPoints(path))
    assert (again, asked) == ([[24, 12]], [12, 6])


def test_a_line_that_was_cut_off_does_not_count(tmp_path):
    path = tmp_path / "points.jsonl"
    measure_points(double, [3, 1], kept=KeptPoints(path), point_type=Point)
    path.write_text(path.read_text()[:-5])
    kept = KeptPoints(path)
    assert kept.get("3") == {"twice": 6, "details": {"half": 1.5}}
    assert kept.get("1") is None
    assert measure_points(double, [1], kept=kept, point_type=Point) == [double(1)]
    assert len(KeptPoints(path)) == 2
