"""Commands that print the figures that matter; ``python -m benchmarks`` prints them all."""
