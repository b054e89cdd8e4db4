"""Test selection: a test file runs again only if something that it used has changed since it passed."""
