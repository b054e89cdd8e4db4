"""The frame of a node's time-sliced bus (Sec. 3): who may use it when.

In slot s the word of receiver s is on the bus, and the packet memory is read for transmitter s. Slots 0 to 5 are the
links', by direction; 6 is the host's; in 7 the network processor looks at the packets that have arrived in this frame.
"""

SLOT_BITS = 3
SLOTS = 1 << SLOT_BITS
PROCESSOR_SLOT = SLOTS - 1
