"""The half of a router that all families with routing tables share."""
