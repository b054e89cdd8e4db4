"""Golden model of the SPAM router (Sec. 3)."""
