"""Environment variables that the command sets where the user has not. The library sets none."""

import os

DEFAULTS = {
    # OpenBLAS starts a thread for each core as NumPy is loaded. Nothing here multiplies large matrices.
    "OPENBLAS_NUM_THREADS": "1",
    # Numba colours thousands of messages that it never prints while it compiles a loop.
    "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1",
}
"""Defaults of the variables, which programs that the command starts inherit."""


def set_defaults() -> None:
    """Set the variables in this process, before NumPy is loaded."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
