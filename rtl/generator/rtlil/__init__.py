"""Changes to a netlist between two runs of Yosys, so that its Verilog has no lint warnings."""
