"""Reference of the configuration, as JSON Schema and as a page, both from the classes that validate it."""
