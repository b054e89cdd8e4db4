"""Claims about the parts of multistage switches."""
