"""The version: the only place where it stands. The package and the cores that are exported have it."""

VERSION = "0.1.0"
