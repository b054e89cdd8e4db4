"""The papers' figures and tables: what is measured, and what the papers claim of it."""
