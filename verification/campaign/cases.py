"""Cases by number: eight runs with different traffic over each network, with the families in turn."""

import hashlib
import json
from collections.abc import Callable

from hydranoc import Design, load
from hydranoc.errors import ConfigError
from topology.common.ages import AGE, STEPS_CYCLES
from verification.campaign.draws.networks import NETWORKS
from verification.campaign.draws.options import further_options
from verification.campaign.draws.random import Draw, Section
from verification.campaign.draws.traffic import Room, hosts, traffic

FAMILIES = tuple(NETWORKS)
RUNS = 8
"""Cases over one network: its simulator is built once for all of them."""
ROUTER_CYCLES, MAX_CYCLES = 40_000_000, 2_000_000
"""Limits of a case, roughly: small networks and many short messages have less."""
MAX_MESSAGES = 100_000
"""Approximate limit for a case; a message costs as much as dozens of cycles."""
MAX_DRAWS = 50
PARTS_FROM, PARTS_SHARE = 161, 0.5
"""First network that may have headers of parts, and their share: earlier networks were compared without them."""
LONG_FROM, LONGER = 165, 2.5
"""First network with further options and longer cases, and their factor: builds then take less of the time."""
EVEN_FROM, CHANNEL_CYCLES = 230, 250_000_000
"""First network whose cases are limited by their cycles times channels, and that limit: networks then cost about the
same."""
STEPS_FROM = 400
"""First network whose ages may have other steps."""
WITH_SETS = ("spam", "min")
"""Families whose headers name sets."""
_NETWORK, _RUN = 0, 1  # first numbers of their random streams


def family_of(case: int) -> str:
    """Return the family of a case."""
    return FAMILIES[case // RUNS % len(FAMILIES)]


def cases_of(family: str, turn: int) -> range:
    """Return the cases of a network, counted from 0 within its family."""
    first = (turn * len(FAMILIES) + FAMILIES.index(family)) * RUNS
    return range(first, first + RUNS)


class Campaign:
    """Designs of cases.

    Parameters:
        scale: Fraction of the usual cycles of cases. Another scale is another campaign.
    """

    def __init__(self, scale: float = 1.0):
        self.scale = scale
        self._kept: tuple[int, Design] | None = None

    def network_of(self, case: int) -> Design:
        """Return the network of a case, without traffic; the last one is cached."""
        number = case // RUNS
        if self._kept is None or self._kept[0] != number:
            family = family_of(case)
            drawn = _first_valid(lambda draw: {"network": _network_section(draw, family, number)}, _NETWORK, number)
            self._kept = number, drawn
        return self._kept[1]

    def design_of(self, case: int) -> Design:
        """Return a case: its network with traffic and hosts."""
        base = self.network_of(case)
        room = self._room(base, case)

        def drawn(draw: Draw) -> Section:
            held_back = hosts(draw, room)
            return {
                **configuration_of(base),
                "traffic": traffic(draw, room),
                **({"hosts": held_back} if held_back else {}),
            }

        return _first_valid(drawn, _RUN, *divmod(case, RUNS))

    def cycles_of(self, case: int) -> int:
        """Return the approximate number of cycles of a case."""
        network = self.network_of(case).network
        length, even = _length_of(case), case // RUNS >= EVEN_FROM
        limit = CHANNEL_CYCLES // len(network.channels) if even else length * (ROUTER_CYCLES // network.switches)
        return round(self.scale * min(length * MAX_CYCLES, limit))

    def _room(self, base: Design, case: int) -> Room:
        """Return the limits of traffic in a network."""
        network, header, section = base.network, base.routing.header, base.config.network_section
        faults = getattr(section, "faults", None)
        return Room(
            family=base.family.name,
            processors=len(network.processors),
            header_flits=max(header.unicast_flits, header.multicast_flits),
            most_flits=getattr(section, "packet_flits", 4096),
            cycles=self.cycles_of(case),
            messages=round(MAX_MESSAGES * _length_of(case)),
            silent=tuple(faults.silent_nodes) if faults else (),
        )


def _network_section(draw: Draw, family: str, number: int) -> Section:
    section = NETWORKS[family](draw)
    if family in WITH_SETS and number >= PARTS_FROM and draw.chance(PARTS_SHARE):
        section["header"] = "parts"
    if number >= LONG_FROM:
        section |= further_options(draw, section)
    if number >= STEPS_FROM and section.get("arbitration") == AGE:
        section["age_step_cycles"] = draw.one_of(STEPS_CYCLES)
    return section


def _length_of(case: int) -> float:
    """Return the length of a case as a multiple of that of the first ones."""
    return LONGER if case // RUNS >= LONG_FROM else 1.0


def configuration_of(design: Design) -> Section:
    """Return the configuration as it would be in a file."""
    return dict(design.config.source.data)


def digest_of(design: Design) -> str:
    """Return the digest of a configuration, independent of the order of its keys."""
    text = json.dumps(configuration_of(design), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _first_valid(drawn: Callable[[Draw], Section], *numbers: int) -> Design:
    """Return the first of a series of draws that is a valid configuration; some combinations of keys are refused."""
    refused: ConfigError | None = None
    for attempt in range(MAX_DRAWS):
        try:
            design = load(drawn(Draw(*numbers, attempt)))
            assert design.routing
            if design.config.traffic is not None:
                assert design.messages is not None
                if len(design.messages) == 0:
                    continue
            return design
        except ConfigError as error:
            refused = error
    raise RuntimeError(f"No draw of {numbers} is valid; the last one: {refused}")
