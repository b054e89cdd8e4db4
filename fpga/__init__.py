"""FPGA builds: board tops, synthesis reports. Nothing is built here yet; the README's status table says so."""
