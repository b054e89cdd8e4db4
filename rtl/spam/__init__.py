"""SPAM hardware: a router with tree multicast for irregular wormhole networks (Libeskind-Hadas et al., 1998)."""
