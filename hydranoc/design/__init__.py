"""A configured network, and its runs, comparisons, hardware and pictures."""

from hydranoc.design.design import Design
from hydranoc.design.outcome import ComparedOutcome, Outcome

__all__ = ["ComparedOutcome", "Design", "Outcome"]
