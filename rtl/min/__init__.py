"""Hardware of multistage networks: a switch with asynchronous tree multicast and token rings."""
