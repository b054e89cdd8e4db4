"""HydraNoC: routers that multicast in hardware, a network generator, and a golden model. See ``hydranoc.api``."""

from hydranoc.api import load
from hydranoc.design import Design, Outcome
from hydranoc.errors import ConfigError
from rtl.version import VERSION as __version__

__all__ = ["ConfigError", "Design", "Outcome", "__version__", "load"]
