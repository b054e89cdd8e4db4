"""Broadcasts and unicasts in a hypercube of ideal routers, flit by flit (Sec. 2 and 4).

This model lies between the paper's equations and the hardware. It keeps the paper's rules for VCs, queues and
broadcasts, but a router has no pipeline and no crossbar: every VC can send in every cycle to any link, and only links
are shared. A cycle t of a node is, from the state at its start:

1. Messages that are generated in t enter their injection queues; the header of the first one can leave in t.
2. Every header at the front of a buffer or queue takes a VC. It takes any of the adaptive VCs that are free, in any
   of its remaining dimensions, at random, each VC with the same chance; else the escape channel of the lowest one; else
   it tries again in t+1. A VC is free if no worm has it and the buffer behind it is empty. At its destination a
   header needs no VC.
3. Every link moves a flit, of the next one in turn of its VCs that have both a flit to send and room behind. It is in
   that buffer from t+1 on. The slot that it leaves is room for another flit from t+1 on.
4. Worms at their destination deliver one flit each to the node. With its tail the node has the message, and its copies
   for other nodes are in their queues from t+1 on.

So a message of M flits over h links takes M + h cycles, a worm alone moves one flit in each cycle with buffers of two
flits, and a broadcast of a cube of n dimensions takes n (M + 1) cycles.

The options of ``IdealCube`` make it less ideal, one by one, up to the delays and limits of the router in
docs/look_up/timing_hypercube.md (docs/understand/figures_hypercube_hardware.md)."""
