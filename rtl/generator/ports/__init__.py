"""Groups of ports that a plan may add to a network's top: their members and their connections."""
