"""Statistics of latencies."""
