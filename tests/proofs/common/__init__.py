"""Claims about the parts that every family uses."""
