"""Queues of messages: rings of numbers, each with its begin and its end beside it."""

from sim_model.loops.compiled import compiled


@compiled
def join(line, message):
    """Append a message to a queue.

    Parameters:
        line (int32 or int64[2 + places]): Numbers of the messages that have left and that have joined so far, then a
            ring of messages.
        message (int)
    """
    line[2 + (line[1] & len(line) - 3)] = message
    line[1] += 1


@compiled
def first_of(line):
    """Return the first message in a queue."""
    return line[2 + (line[0] & len(line) - 3)]


@compiled
def leave(line):
    """Remove and return the first message in a queue."""
    message = first_of(line)
    line[0] += 1
    return message
