"""Golden model of the SPAM router (paper 3)."""
