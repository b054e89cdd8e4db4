"""Data of a page: JSON, deflated, as text of the base 64. The page's script undoes that by what browsers bring."""

import base64
import json
import zlib
from typing import Any

import numpy as np


def deltas(column: np.ndarray) -> list[int]:
    """Return first value and differences: short numbers where a column rises slowly."""
    return np.diff(column, prepend=0).tolist()


def packed(content: Any) -> str:
    """Return plain values as text."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode("ascii")


def unpacked(text: str) -> Any:
    """Return what was packed."""
    return json.loads(zlib.decompress(base64.b64decode(text)))
