"""Golden model of the switch for multistage networks (paper 3 and 4)."""
