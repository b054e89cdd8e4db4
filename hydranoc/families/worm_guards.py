"""Keys for input guards against malformed traffic."""

from typing import TYPE_CHECKING, Annotated, Any

from hydranoc.config.schema import NetworkSection
from hydranoc.config.schema.fields import Field
from hydranoc.errors import KeyWrong
from topology.common.errors import FieldError
from topology.common.flits import MAX_MESSAGE_FLITS, HeaderFormat

if TYPE_CHECKING:
    from sim_model.messages.columns import MessageColumns
    from sim_model.messages.messages import Message


class GuardedSection(NetworkSection):
    """Keys of ``network`` for input guards.

    Members
    -------
    worm_guard : bool
        Drop flits outside of worms at every input of a switch.
    """

    worm_guard: bool = False


class WatchedSection(GuardedSection):
    """Keys for input guards in families whose worms may have any length.

    Members
    -------
    watchdog_flits : int
        With ``worm_guard``: longest worm, header included; longer ones are cut off. 0 for worms of any length.
    """

    watchdog_flits: Annotated[int, Field(ge=0, le=MAX_MESSAGE_FLITS)] = 0


def check_guards(section: WatchedSection, header: HeaderFormat) -> None:
    """Refuse a watchdog without a guard, or one that cuts through headers.

    Raises
    ------
    KeyWrong
        For ``watchdog_flits``.
    """
    if not section.watchdog_flits:
        return
    if not section.worm_guard:
        text = f"watchdog_flits must be 0 without 'worm_guard: true', not {section.watchdog_flits}"
        raise KeyWrong("watchdog_flits", f"{text}: guards are what cuts worms off")
    longest = max(header.unicast_flits, header.multicast_flits)
    if section.watchdog_flits < longest:
        text = f"watchdog_flits must be 0, or at least {longest}, the flits of the longest header"
        raise KeyWrong("watchdog_flits", f"{text}, not {section.watchdog_flits}")


def plan_guards(section: WatchedSection) -> dict[str, Any]:
    """Return the guard parameters of the hardware plan. The golden model has none: guards do not delay whole worms."""
    return {"guard": section.worm_guard, "watchdog_flits": section.watchdog_flits}


def complete_within_watchdog(section: WatchedSection, _routing: Any, record: "Message") -> "Message":
    """Return the message unchanged if no watchdog would cut it off.

    Raises
    ------
    ValueError
        "Length must be Y, not Z".
    """
    if section.watchdog_flits and record.flits > section.watchdog_flits:
        text = f"Length must be at most {section.watchdog_flits} flits (watchdog_flits)"
        raise FieldError("flits", f"{text}, not {record.flits}")
    return record


def columns_within_watchdog(
    section: WatchedSection, _routing: Any, columns: "MessageColumns"
) -> "MessageColumns | None":
    """Return the messages unchanged; None if a watchdog would cut one of them off."""
    right = not section.watchdog_flits or int(columns.flits.max(initial=0)) <= section.watchdog_flits
    return columns if right else None
