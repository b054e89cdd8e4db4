"""Hypercubes with adaptive wormhole routing: what hardware and model share."""
