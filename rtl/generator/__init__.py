"""Network generator: from a plan to Verilog, manifest and lint files."""
