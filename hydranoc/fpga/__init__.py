"""Area and clock of routers and networks, and bitstreams: runs of the tools of the layer `fpga`."""
