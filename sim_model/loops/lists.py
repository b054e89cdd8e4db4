"""Lists of numbers in arrays, which a cycle fills and empties.

A compiled index that may be negative is tested for being counted from the end. A position in a list never is, so
``loops/extensions.py`` writes without that.
"""


def enter(numbers, position, number):
    """Write a number into a list (uint32[...]) at a position, which is not negative."""
    numbers[position] = number
