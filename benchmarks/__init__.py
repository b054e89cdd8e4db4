"""Commands that print the project's figures; ``python -m benchmarks`` prints them all."""
