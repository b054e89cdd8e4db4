"""Hardware parts that every family uses."""
