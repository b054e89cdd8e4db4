"""Data of a page: JSON, deflated, in base 64. The page's script decodes it with functions of browsers."""

import base64
import json
import zlib
from typing import Any

import numpy as np


def deltas(column: np.ndarray) -> list[int]:
    """Return the first value and differences: short numbers where a column rises slowly."""
    return np.diff(column, prepend=0).tolist()


def packed(content: Any) -> str:
    """Return plain values as packed text."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode("ascii")


def unpacked(text: str) -> Any:
    """Return the values of a packed text."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
