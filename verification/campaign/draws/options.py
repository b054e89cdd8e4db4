"""Random choices of further keys of a network, drawn after those of ``networks``."""

from verification.campaign.draws.random import Draw, Section

LONGEST_WORM = 4096
"""Flits of a watchdog, more than those of any worm."""
FAST_ROUTING_CYCLES = 2
MORE_PAGES = (20, 40)


def further_options(draw: Draw, section: Section) -> Section:
    """Return further keys of a section ``network``."""
    family = section["family"]
    options: Section = {"counters": draw.chance(0.15)}
    if family in ("spam", "min"):
        options["tables"] = draw.one_of(("fixed", "loadable"), (4, 1))
        options["ordering"] = draw.one_of(("none", "pair", "total"), (6, 2, 1))
        if section.get("worm_guard"):
            options["watchdog_flits"] = draw.one_of((0, LONGEST_WORM))
    if family == "spam":
        options |= _pipeline(draw)
    if family == "harts" and draw.chance(0.3):
        options["pages"] = draw.whole(*MORE_PAGES)
    return options


def _pipeline(draw: Draw) -> Section:
    kind = draw.one_of(("standard", "fast", "age"), (2, 1, 1))
    if kind == "fast":
        return {"pipeline": "fast", "routing_cycles": FAST_ROUTING_CYCLES}
    return {"arbitration": "age"} if kind == "age" else {}
