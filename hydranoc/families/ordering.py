"""The key for the order of messages at receivers."""

from typing import Literal

from hydranoc.families.header_kinds import SetSection
from topology.common.total_order import NO_ORDER


class OrderedSection(SetSection):
    """Keys of ``network`` in families whose tables can order all messages.

    Members
    -------
    ordering : str
        Order of messages: ``none``, on shortest paths; or ``total``, where all messages turn at one switch, so that all
        receivers see all messages in one order, those of each source as sent (docs/look_up/ordering.md).
    """

    ordering: Literal["none", "total"] = NO_ORDER
