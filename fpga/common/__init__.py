"""Common parts of every family's FPGA figures: wrappers, devices, tool scripts and readers of tool reports."""
