"""Proofs of the router with lanes, which families share."""
