"""HydraNoC: routers that multicast in hardware, a network generator, and a golden model. See ``hydranoc.api``."""

TYPE_CHECKING = False  # that of ``typing`` would take longer to load than a daemon takes to be reached
if TYPE_CHECKING:
    from typing import Any

    from hydranoc.api import load
    from hydranoc.design import Design, Outcome
    from hydranoc.errors import ConfigError
    from hydranoc.sweeps.run import sweep
    from rtl.version import VERSION as __version__

__all__ = ["ConfigError", "Design", "Outcome", "__version__", "load", "sweep"]

_HOMES = {
    "load": ("hydranoc.api", "load"),
    "sweep": ("hydranoc.sweeps.run", "sweep"),
    "Design": ("hydranoc.design", "Design"),
    "Outcome": ("hydranoc.design", "Outcome"),
    "ConfigError": ("hydranoc.errors", "ConfigError"),
    "__version__": ("rtl.version", "VERSION"),
}
"""Home module and name of each public name of this package."""


def __getattr__(name: str) -> "Any":
    """Load a name on first use: the command must handle signals before a second of modules is loaded."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
