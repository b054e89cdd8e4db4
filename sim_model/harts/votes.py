"""Verdicts of hosts on the copies of broadcasts (Sec. 4): the first copy, or the majority of the copies.

Times are ignored here; ``CopyCollector`` is the hardware, which works flit by flit.
"""

import numpy as np

from sim_model.messages.header_lengths import distinct
from sim_model.messages.messages import Messages
from topology.harts.broadcast import ALGORITHMS, COPIES
from topology.harts.faults import Faults
from topology.harts.reception import VOTE, threshold
from topology.harts.routing import UNICAST

VERDICTS = ("first_copies_right", "first_copies_wrong", "votes_right", "votes_wrong", "votes_open")
NEEDED = np.array([0, *(threshold(COPIES[algorithm], VOTE) for algorithm in ALGORITHMS)])
"""Equal copies that decide a vote, by operation."""


def count_verdicts(messages: Messages, copy_log: np.ndarray, faults: Faults) -> dict[str, int]:
    """Count broadcasts by each host's verdict on their contents.

    All copies that are spoilt are taken to be spoilt alike, which is the worst for the vote; of a broadcast of a
    forging node every copy is wrong.

    Parameters:
        copy_log (structured array): See ``Results.copy_log``.

    Returns:
        ``first_copies_right`` and ``first_copies_wrong``, of hosts that take the first copy; ``votes_right``,
            ``votes_wrong`` and ``votes_open`` (there is no majority) of hosts that let the copies vote.
    """
    copies = copy_log[messages.operation[copy_log["message"]] != UNICAST]
    message, node = copies["message"], copies["node"]
    if len(copies) == 0:
        return dict.fromkeys(VERDICTS, 0)
    wrong = (copies["spoilt"] != 0) | _forges(messages, faults)[messages.source[message]]
    receivers, first, receiver = np.unique(
        message * (int(node.max()) + 1) + node, return_index=True, return_inverse=True
    )
    wrong_copies = np.bincount(receiver, weights=wrong, minlength=len(receivers))
    right_copies = np.bincount(receiver, weights=~wrong, minlength=len(receivers))
    needed = NEEDED[messages.operation[message[first]]]
    right, wrong_vote = right_copies >= needed, wrong_copies >= needed
    found = (~wrong[first], wrong[first], right, ~right & wrong_vote, ~right & ~wrong_vote)
    return dict(zip(VERDICTS, (int(one.sum()) for one in found), strict=True))


def _forges(messages: Messages, faults: Faults) -> np.ndarray:
    """Return whether a source claims to be another, bool by source."""
    sources = distinct(messages.source).tolist()
    forges = np.zeros(max(sources) + 1, dtype=bool)
    forges[[source for source in sources if faults.claimed_source(source) != source]] = True
    return forges
