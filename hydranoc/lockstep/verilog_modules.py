"""Reader of the modules of generated Verilog: their texts, ports and instances."""

import re
from dataclasses import dataclass
from functools import cached_property

_MODULE = re.compile(r"(?m)^module (\w+)")
_PORT = re.compile(r"(?m)^  (input|output) (?:\[(\d+):0\] )?(?:reg )?(\w+);")
_INSTANCE = re.compile(r"(?m)^  (\w+) (\w+) \($")
_INSTANCES_OF = r"(?ms)^  {module} \w+ \(\n(.*?)\n  \);"
_LITERAL_PIN = re.compile(r"(?m)^    \.(\w+)\(\d+'h[0-9a-f]+\),?$")


@dataclass(frozen=True)
class Port:
    """A port of a module."""

    name: str
    bits: int
    is_input: bool


class VerilogModules:
    """The modules in a text of ``rtl.generator.verilog``.

    Parameters
    ----------
    verilog : str

    Members
    -------
    texts : dict of str to str
        Text of each module by its name, from ``module`` to ``endmodule`` and what follows.
    """

    def __init__(self, verilog: str):
        pieces = _MODULE.split(verilog)
        self.texts = {name: f"module {name}{text}" for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}

    @cached_property
    def parts(self) -> dict[str, list[str]]:
        """Modules of the instances in each module, one entry per instance."""
        return {
            name: [part for part, _ in _INSTANCE.findall(text) if part in self.texts]
            for name, text in self.texts.items()
        }

    def ports(self, module: str) -> list[Port]:
        """Return the ports of a module in the order of their declarations."""
        found = _PORT.findall(self.texts[module])
        return [Port(name, int(last or 0) + 1, direction == "input") for direction, last, name in found]

    def within(self, module: str) -> list[str]:
        """Return a module and all modules instantiated in it, each once."""
        found = dict.fromkeys([module])
        for part in self.parts[module]:
            found.update(dict.fromkeys(self.within(part)))
        return list(found)

    def instantiated_bytes(self, module: str) -> int:
        """Return the size of a module, with every module in it counted once per instance."""
        sizes: dict[str, int] = {}

        def size(name: str) -> int:
            if name not in sizes:
                sizes[name] = len(self.texts[name]) + sum(map(size, self.parts[name]))
            return sizes[name]

        return size(module)

    def tied_ports(self, module: str, user: str) -> set[str]:
        """Return the ports that are tied to a number in every instance of a module in another one."""
        instances = re.findall(_INSTANCES_OF.format(module=re.escape(module)), self.texts[user])
        tied = [set(_LITERAL_PIN.findall(pins)) for pins in instances]
        return set.intersection(*tied) if tied else set()
