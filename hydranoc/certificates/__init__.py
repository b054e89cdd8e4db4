"""Certificates of freedom from deadlock and of delivery: the writer, and the program that checks them."""
