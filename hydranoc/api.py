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

from pathlib import Path

from hydranoc.config.load import load_config
from hydranoc.design import Design
from hydranoc.families.registry import FAMILIES


def load(path: str | Path) -> Design:
    """A network from its configuration file.

    Raises
    ------
    ConfigError
        For the first thing wrong, with file and line.
    """
    return Design(load_config(path, FAMILIES))
