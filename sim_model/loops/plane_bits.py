"""Operations on planes: words of 64 bits."""


def count_bits(word):
    """Count the 1 bits of a word of 64."""
    return (int(word) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()
