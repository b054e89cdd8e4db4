"""Certificates of freedom from deadlock and of delivery: what writes them, and the program that checks them."""
