"""Certified networks with one programmed alteration each: the checker of certificates must refuse all of them."""
