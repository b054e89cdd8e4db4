"""Negative control that deadlocks: requests enter the output queues one by one (docs/look_up/timing_spam.md).

The paper demands that "all of a message's requests are enqueued before any other message can enqueue requests at that
router" (3.2); this enqueuer lets other messages in between. Each output then has an order of its own.
"""

from sim_model.loops.bits import first_at_or_after, lowest_bit
from sim_model.loops.compiled import compiled


@compiled
def enqueue_one(switch, state, spam):
    """Run the serial enqueuer for one cycle, after the grants and before the route unit adds an input.

    Returns 1 if a request entered its queue.
    """
    router = spam.routers[switch]
    unfinished = _unfinished(switch, state.input_channel, spam)
    if unfinished == 0:
        return 0
    port = first_at_or_after(unfinished, router.enqueue_turn)
    router.enqueue_turn = port + 1 if port + 1 < state.vertices[switch].inputs else 0
    number = state.input_channel[switch, port]
    output = first_at_or_after(spam.inputs[number].pending, port)
    spam.older[number, output] = _standing(switch, output, state.input_channel, spam)
    spam.inputs[number].pending ^= 1 << output
    router.recheck = 1
    return 1


@compiled
def _unfinished(switch, input_channel, spam):
    """Return the queued inputs with requests that are not in their queues yet."""
    unfinished = 0
    rest = spam.routers[switch].queued
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        if spam.inputs[input_channel[switch, port]].pending != 0:
            unfinished |= 1 << port
    return unfinished


@compiled
def _standing(switch, output, input_channel, spam):
    """Return the inputs in the queue of an output."""
    standing = 0
    rest = spam.routers[switch].queued
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        header = spam.inputs[input_channel[switch, port]]
        if (header.request & ~header.pending) >> output & 1:
            standing |= 1 << port
    return standing


@compiled
def oldest_everywhere(number, waiting, spam):
    """Return whether an input is in all its queues and no input of ``waiting`` is before it in any of them."""
    if spam.inputs[number].pending != 0:
        return False
    rest = spam.inputs[number].request
    while rest != 0:
        if spam.older[number, lowest_bit(rest)] & waiting:
            return False
        rest &= rest - 1
    return True
