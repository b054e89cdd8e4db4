"""MIN: from its configuration to tables, model, hardware and pictures."""
