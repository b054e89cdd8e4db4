"""What hosts make of the copies of broadcasts that they get (Sec. 4): the first copy, or what most copies say.

Times play no part here: ``CopyCollector`` is the hardware that does it flit by flit.
"""

from collections import defaultdict

import numpy as np

from sim_model.common.messages import Messages
from topology.harts.broadcast import ALGORITHMS, COPIES
from topology.harts.faults import Faults
from topology.harts.reception import VOTE, threshold
from topology.harts.routing import UNICAST

VERDICTS = ("first_copies_right", "first_copies_wrong", "votes_right", "votes_wrong", "votes_open")


def count_verdicts(messages: Messages, copy_log: np.ndarray, faults: Faults) -> dict[str, int]:
    """Count broadcasts by what each of the nodes that have a copy takes for its contents.

    All copies that are spoilt are taken to be spoilt alike, which is the worst for the vote; of a broadcast of a
    forging node every copy is wrong.

    Parameters
    ----------
    messages : Messages
    copy_log : structured array
        See ``Results.copy_log``.
    faults : Faults

    Returns
    -------
    dict of str to int
        ``first_copies_right`` and ``first_copies_wrong``, of hosts that take the first copy; ``votes_right``,
        ``votes_wrong`` and ``votes_open`` (there is no majority) of hosts that let the copies vote.
    """
    counts: dict[str, int] = dict.fromkeys(VERDICTS, 0)
    received: dict[tuple[int, int], list[bool]] = defaultdict(list)
    for message, node, spoilt in copy_log[["message", "node", "spoilt"]].tolist():
        if messages.operation[message] != UNICAST:
            source = int(messages.source[message])
            received[message, node].append(bool(spoilt) or faults.claimed_source(source) != source)
    for (message, _), wrong in received.items():
        needed = threshold(COPIES[ALGORITHMS[messages.operation[message] - 1]], VOTE)
        counts["first_copies_wrong" if wrong[0] else "first_copies_right"] += 1
        if wrong.count(False) >= needed:
            counts["votes_right"] += 1
        else:
            counts["votes_wrong" if wrong.count(True) >= needed else "votes_open"] += 1
    return counts
