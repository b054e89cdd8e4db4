"""Lock-step comparison of networks with AXI4 ends with their golden model."""
