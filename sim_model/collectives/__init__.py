"""Collective operations in software: schedules of transfers between members, their counts, and the check of meaning."""
