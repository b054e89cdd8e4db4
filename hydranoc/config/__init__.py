"""Configurations: YAML files, strictly validated, errors with file and line."""
