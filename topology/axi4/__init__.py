"""Facts of AXI4 ends: address map, words of packets."""
