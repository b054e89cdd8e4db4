"""What every family's FPGA figures share: wrappers, devices, tool scripts and readers of tool reports."""
