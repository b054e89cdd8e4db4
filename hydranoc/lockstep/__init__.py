"""Hardware against golden model: simulators, their tools, and the comparison."""
