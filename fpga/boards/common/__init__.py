"""The self-test: traffic, checks, totals, verdict and report, around a network of any family."""
