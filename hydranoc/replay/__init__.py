"""What happened on the channels of a network, worm by worm, for those who want to watch it."""
