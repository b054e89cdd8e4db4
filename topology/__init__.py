"""What hardware and model share of a network: graphs, labels, routing tables, flit formats, deadlock analysis."""
