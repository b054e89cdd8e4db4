"""A configured network and everything that can be done with it."""

from hydranoc.design.design import Design
from hydranoc.design.outcome import ComparedOutcome, Outcome

__all__ = ["ComparedOutcome", "Design", "Outcome"]
