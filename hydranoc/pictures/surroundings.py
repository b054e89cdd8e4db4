"""Lines and boxes already in a picture, which later parts must not meet; intersections and distances of them."""

import numpy as np

TINY = 1e-12


def meet(starts: np.ndarray, ends: np.ndarray, centres: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Return which segments meet which axis-parallel boxes; bool, shape (segments, boxes).

    Parameters:
        starts, ends (float array, shape (segments, 2))
        centres, halves (float array, shape (boxes, 2)): Middle and half the width and height of each box.
    """
    start, along = starts[:, np.newaxis], (ends - starts)[:, np.newaxis]
    low, high = centres - halves - start, centres + halves - start
    level = np.abs(along) < TINY
    steps = np.where(level, 1.0, along)
    first, last = np.minimum(low / steps, high / steps), np.maximum(low / steps, high / steps)
    inside = (low <= 0) & (high >= 0)
    first = np.where(level, np.where(inside, 0.0, np.inf), first)
    last = np.where(level, np.where(inside, 1.0, -np.inf), last)
    return np.maximum(first.max(axis=2), 0) <= np.minimum(last.min(axis=2), 1)


def overlap(centres: np.ndarray, halves: np.ndarray, others: np.ndarray, other_halves: np.ndarray) -> np.ndarray:
    """Return which boxes overlap which other boxes; bool, shape (boxes, others)."""
    apart = np.abs(centres[:, np.newaxis] - others[np.newaxis])
    near = apart < halves[:, np.newaxis] + other_halves[np.newaxis]
    return np.logical_and(near[..., 0], near[..., 1])


def distances(points: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return distances of points from segments; float, shape (points, segments)."""
    along = ends - starts
    offsets = points[:, np.newaxis] - starts
    share = (offsets * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), TINY)
    nearest = offsets - np.clip(share, 0, 1)[:, :, np.newaxis] * along
    return np.hypot(nearest[:, :, 0], nearest[:, :, 1])


NEAR = 1.6
"""Distance from a switch beyond which objects do not affect the places round it."""
MARGIN = 0.025
"""Distance between two objects, in units of the closest switches' distance."""


class Surroundings:
    """Lines and boxes of a picture.

    Parameters:
        segments (float array, shape (n, 2, 2)): Lines as pairs of ends.
        centres, halves (float array, shape (m, 2)): Boxes.
    """

    def __init__(self, segments: np.ndarray, centres: np.ndarray, halves: np.ndarray):
        self._segments = segments.reshape(-1, 2, 2)
        self._centres, self._halves = centres.reshape(-1, 2), halves.reshape(-1, 2)

    def near(self, point: np.ndarray) -> "Surroundings":
        """Return the lines and boxes near a point."""
        segments = self._segments
        if len(segments):
            segments = segments[distances(point[np.newaxis], segments[:, 0], segments[:, 1])[0] < NEAR]
        close = (np.abs(self._centres - point) < NEAR + self._halves).all(axis=1)
        return Surroundings(segments, self._centres[close], self._halves[close])

    def joined(self, other: "Surroundings") -> "Surroundings":
        """Return the union with another one."""
        return Surroundings(
            np.concatenate([self._segments, other._segments]),
            np.concatenate([self._centres, other._centres]),
            np.concatenate([self._halves, other._halves]),
        )

    def add(self, start: np.ndarray, centre: np.ndarray, half: np.ndarray) -> None:
        """Add a box, and the line that leads to it."""
        self._segments = np.concatenate([self._segments, np.stack([start, centre])[np.newaxis]])
        self._centres = np.concatenate([self._centres, centre[np.newaxis]])
        self._halves = np.concatenate([self._halves, half[np.newaxis]])

    def free(self, start: np.ndarray, centres: np.ndarray, half: np.ndarray) -> np.ndarray:
        """Return which boxes, on lines from ``start``, would meet nothing; bool, shape (boxes,).

        Lines end in the boxes that they lead to, so the box around ``start`` does not count for the lines.
        """
        half = half + MARGIN
        halves = np.broadcast_to(half, centres.shape)
        wrong = overlap(centres, halves, self._centres, self._halves).any(axis=1)
        if len(self._segments):
            wrong |= meet(self._segments[:, 0], self._segments[:, 1], centres, halves).any(axis=0)
        others = ~(np.abs(self._centres - start) < 1e-9).all(axis=1)
        starts = np.broadcast_to(start, centres.shape)
        crossed = meet(starts, centres, self._centres[others], self._halves[others] + MARGIN).any(axis=1)
        return np.logical_not(wrong | crossed)

    def room(self, centres: np.ndarray) -> np.ndarray:
        """Return the distance of points from the nearest line or box; float, shape (points,)."""
        found = [np.full(len(centres), np.inf)]
        if len(self._segments):
            found.append(distances(centres, self._segments[:, 0], self._segments[:, 1]).min(axis=1))
        if len(self._centres):
            outside = np.maximum(np.abs(centres[:, np.newaxis] - self._centres) - self._halves, 0)
            found.append(np.hypot(outside[..., 0], outside[..., 1]).min(axis=1))
        return np.minimum.reduce(found)
