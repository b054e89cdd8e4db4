"""Facts about a network that hardware and golden model share: graphs, labels, routing tables, flit formats, deadlock analysis."""
