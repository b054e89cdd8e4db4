"""Golden model of the switch for multistage networks (Sec. 3 and 4)."""
