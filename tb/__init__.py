"""cocotb benches: component benches, and the lock-step comparison of whole networks with the golden model."""
