"""The version, defined only here. The package and the exported cores read it."""

VERSION = "0.1.0"
