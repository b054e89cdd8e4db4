"""Situations of contention that matter, counted in the golden model beside a comparison; docs/campaign.md lists them.

Each is a row: a name, a sentence that says what it is, and a function that says how many routers, channels, receivers
or the like are in it. A name belongs to one thing, whichever families have it.
"""
