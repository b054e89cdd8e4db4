"""SPAM: labels and routing tables for tree multicast in irregular networks (Libeskind-Hadas et al., 1998)."""
