"""Programs and traces of other tools: readers, one file each, and their conversion to dependent messages."""
