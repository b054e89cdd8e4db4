"""Situations of contention that matter, counted in the golden model beside a comparison.

docs/understand/campaign.md lists them.

A family has a table of names, each with a function that counts the routers, channels, receivers and so on in that
situation. A name has the same meaning in all families.
"""
