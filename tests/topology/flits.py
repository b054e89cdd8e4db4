"""Random flits."""

import numpy as np


def random_flits(width: int, count: int, seed: int) -> list[int]:
    random = np.random.default_rng(seed)
    return [int.from_bytes(random.bytes(-(-width // 8)), "little") >> -width % 8 for _ in range(count)]
