"""AXI4 ends of a network: managers, subordinates, and networks with both."""
