"""Parts of the golden model that every family uses."""
