"""Network descriptions shared by hardware and model: graphs, labels, routing tables, flit formats, deadlock checks."""
