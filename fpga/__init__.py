"""FPGA figures and builds: wrappers and tool scripts for area and clock (``common``), and board tops (``boards``)."""
