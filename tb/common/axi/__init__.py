"""AXI4-Stream bench: random packets through injectors, a network and ejectors, with the endpoints of cocotbext-axi."""
