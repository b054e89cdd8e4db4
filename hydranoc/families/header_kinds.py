"""The key for the header format of several destinations."""

from typing import Literal

from hydranoc.errors import KeyWrong
from hydranoc.families.worm_guards import WatchedSection, check_guards
from topology.common.errors import TopologyError
from topology.common.part_headers import BIT_STRING
from topology.common.routed_headers import RoutedHeaders


class SetSection(WatchedSection):
    """Keys of ``network`` in families whose headers name a set of destinations.

    Members
    -------
    header : str
        Header format of several destinations: ``bit_string``, a bit for each processor; or ``parts``, a flit for each
        group of processors with a destination (docs/look_up/headers.md).
    """

    header: Literal["bit_string", "parts"] = BIT_STRING


def check_headers(section: SetSection, routing: RoutedHeaders) -> None:
    """Refuse flits that are too narrow for headers of parts, and a watchdog shorter than the headers need.

    Raises
    ------
    KeyWrong
        For ``flit_bits`` or ``watchdog_flits``.
    """
    try:
        header = routing.header
    except TopologyError as error:
        raise KeyWrong("flit_bits", f"{error} (header: {section.header})") from None
    check_guards(section, header)
