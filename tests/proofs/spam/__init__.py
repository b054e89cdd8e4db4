"""Claims about the parts of the SPAM router."""
