"""Area and clock of routers and networks, and bitstreams: runs the tools of the layer `fpga`."""
