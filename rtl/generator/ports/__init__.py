"""Groups of ports that a plan may add to a network's top: what each is made of, and what it is connected to."""
