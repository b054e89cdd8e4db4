"""The papers' figures and tables: measurements, and the papers' claims."""
