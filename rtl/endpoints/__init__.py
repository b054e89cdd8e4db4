"""Network interfaces: AXI4-Stream ends, and the harness of lock-step runs."""
