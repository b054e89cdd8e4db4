"""Arrays of records, of which all state is made."""

import numpy as np


def make_records(count: int, fields: tuple[str, ...], /, **columns) -> np.recarray:
    """Records of int64 fields, 0 where no column (an array or one value) is given."""
    records = np.zeros(count, dtype=[(name, np.int64) for name in fields]).view(np.recarray)
    for name, column in columns.items():
        records[name] = column
    return records
