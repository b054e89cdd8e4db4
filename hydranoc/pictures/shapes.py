"""Intersections and distances of segments and boxes in the plane, in NumPy arrays."""

import numpy as np

TINY = 1e-12


def meet(starts: np.ndarray, ends: np.ndarray, centres: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """Return which segments meet which axis-parallel boxes; bool, shape (segments, boxes).

    Parameters
    ----------
    starts, ends : float array, shape (segments, 2)
    centres, halves : float array, shape (boxes, 2)
        Middle and half the width and height of each box.
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
