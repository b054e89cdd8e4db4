"""Programs and traces of other tools: readers, one file each, and what turns them into messages that wait."""
