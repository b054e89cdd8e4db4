"""Long checks of hardware against the golden model: random networks, and faults made by a program."""
