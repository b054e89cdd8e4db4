"""The Python interface.

::

    from hydranoc import load

    design = load("examples/demo.yaml")
    print(design.check().deadlock.reason)
    outcome = design.simulate()
    print(outcome.summary())
    outcome.write_messages("messages.csv")
    for name, text in design.verilog().files.items():
        Path("build", name).write_text(text)
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hydranoc.design import Design


def load(configuration: str | Path | Mapping[str, Any]) -> "Design":
    """Return the design that a configuration describes.

    Parameters:
        configuration: A file, or its content; file names in a mapping are relative to the working folder.

    Raises:
        ConfigError: For the first error, with file and line if it is a file.
    """
    # loads NumPy: not for the help of a verb
    from hydranoc.config.load import load_config
    from hydranoc.design import Design
    from hydranoc.families.registry import FAMILIES

    return Design(load_config(configuration, FAMILIES))
