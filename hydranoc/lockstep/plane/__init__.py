"""Lock-step comparison of a collective plane's Verilog with its golden model."""
