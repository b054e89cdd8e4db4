"""Modules that are compiled once and called by a network's simulator for each instance.

Verilator has this as hierarchical compilation, but calls each instance several times in a cycle, constants and all,
because it cannot determine which of a block's outputs depend on its inputs within a cycle. In a router none does: every
output comes from a register (ARCHITECTURE.md, Hardware). So in the network's Verilog a block's inside becomes one call
per cycle, at the rising edge, that hands over the inputs and gets the outputs of the next cycle. Everything else of the
network is simulated from its text as usual.

The rule that outputs come from registers is checked. If an output, with the inputs of the cycle, differs from the
network's value in that cycle, the run ends with this message (``NOT_FROM_REGISTERS``).

In a block both edges of the clock count as rising ones, so that one evaluation is a cycle. Each evaluates whatever
depends on inputs, which is most of a router, before it looks at the clock.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_MODULE = re.compile(r"(?m)^module (\w+)")
_PORT = re.compile(r"(?m)^  (input|output) (?:\[(\d+):0\] )?(?:reg )?(\w+);")
_INSTANCE = re.compile(r"(?m)^  (\w+) (\w+) \($")
_INSTANCES_OF = r"(?ms)^  {module} \w+ \(\n(.*?)\n  \);"
_EDGE = re.compile(r"\b(?:pos|neg)edge\b[^,)]*")
_LITERAL_PIN = re.compile(r"(?m)^    \.(\w+)\(\d+'h[0-9a-f]+\),?$")


@dataclass(frozen=True)
class Port:
    """A port of a module."""

    name: str
    bits: int
    is_input: bool


class VerilogModules:
    """The modules in a text of ``rtl.generator.verilog``.

    Members:
        texts (dict of str to str): Text of each module by its name, from ``module`` to ``endmodule`` and what follows.
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


NOT_FROM_REGISTERS = "outputs depend on inputs within a cycle"
"""A simulator's message for an invalid block."""
_CLOCK = "clk"
_INT_BITS, _LONGINT_BITS = 32, 64


@dataclass(frozen=True)
class Block:
    """A module that is compiled once.

    Parameters:
        module: Its name.
        ports (sequence of Port): Without the clock.
        tied (set of str): Constant inputs, which are passed once.
        verilog: Text of the module and all modules in it.
    """

    module: str
    ports: tuple[Port, ...]
    tied: frozenset[str]
    verilog: str

    @property
    def name(self) -> str:
        """Prefix of the block's functions and classes."""
        return f"block_{self.module}"

    @property
    def constants(self) -> list[Port]:
        """Inputs that are passed once."""
        return [port for port in self.ports if port.name in self.tied]

    @property
    def inputs(self) -> list[Port]:
        """Inputs that are passed in every cycle."""
        return [port for port in self.ports if port.is_input and port.name not in self.tied]

    @property
    def outputs(self) -> list[Port]:
        """All outputs."""
        return [port for port in self.ports if not port.is_input]


def blocks_of(modules: VerilogModules, top: str, names: Iterable[str]) -> list[Block]:
    """Return the blocks of a network.

    Parameters:
        top: Module that instantiates the blocks.
        names: Modules to compile once.
    """
    return [
        Block(
            name,
            tuple(port for port in modules.ports(name) if port.name != _CLOCK),
            frozenset(modules.tied_ports(name, top)),
            "\n".join(modules.texts[part] for part in modules.within(name)),
        )
        for name in names
    ]


def network_with_calls(modules: VerilogModules, top: str, blocks: Sequence[Block]) -> str:
    """Return the Verilog of the network with calls for blocks, and without modules that only blocks use."""
    called = {block.module: _calling_module(block) for block in blocks}
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in texts:
            return
        if name in called:
            texts[name] = called[name]
            return
        for part in dict.fromkeys(modules.parts[name]):
            add(part)
        texts[name] = modules.texts[name]

    add(top)
    return "\n".join(texts.values())


def _numbered(ports: Iterable[Port], letter: str) -> list[tuple[str, Port]]:
    return [(f"{letter}{number}", port) for number, port in enumerate(ports)]


def _dpi_type(port: Port) -> str:
    if port.bits <= _INT_BITS:
        return "int unsigned"
    return "longint unsigned" if port.bits <= _LONGINT_BITS else f"bit [{port.bits - 1}:0]"


def _range(port: Port) -> str:
    return f"[{port.bits - 1}:0] " if port.bits > 1 else ""


def _calling_module(block: Block) -> str:
    """Return the module that the network's simulator has in place of the block."""
    constants, inputs, outputs = block.constants, block.inputs, _numbered(block.outputs, "o")
    arguments = [f"input {_dpi_type(port)} i{number}" for number, port in enumerate(inputs)]
    arguments += [f"output {_dpi_type(port)} {name}" for name, port in outputs]
    handed = ", ".join(["block", *(port.name for port in inputs), *(f"next_{name}" for name, _ in outputs)])
    lines = [f"module {block.module}({', '.join([_CLOCK, *(port.name for port in block.ports)])});"]
    lines += [f"  input {_CLOCK};"]
    lines += [f"  {'input' if port.is_input else 'output'} {_range(port)}{port.name};" for port in block.ports]
    fixed = [f"input {_dpi_type(port)} c{number}" for number, port in enumerate(constants)]
    lines += [
        f'  import "DPI-C" function chandle {block.name}_new({", ".join(fixed)});',
        f'  import "DPI-C" function void {block.name}_step({", ".join(["input chandle block", *arguments])});',
        "  chandle block = null;",
    ]
    for name, port in outputs:
        lines += [f"  reg {_range(port)}now_{name};", f"  assign {port.name} = now_{name};"]
    lines += [f"  always @(posedge {_CLOCK}) begin : step"]
    lines += [f"    automatic {_dpi_type(port)} next_{name};" for name, port in outputs]
    lines += [f"    if (block == null) block = {block.name}_new({', '.join(port.name for port in constants)});"]
    lines += [f"    {block.name}_step({handed});"]
    lines += [f"    now_{name} <= next_{name}{_low_bits(port)};" for name, port in outputs]
    return "\n".join([*lines, "  end", "endmodule"]) + "\n"


def _low_bits(port: Port) -> str:
    return f"[{port.bits - 1}:0]" if port.bits not in (_INT_BITS, _LONGINT_BITS) and port.bits <= _LONGINT_BITS else ""


def wrapper(block: Block) -> str:
    """Return the block's own Verilog, in a module whose port names are equal in Verilog and C++."""
    outputs, seen = _numbered(block.outputs, "o"), _numbered(block.outputs, "s")
    named = [*_numbered(block.constants, "c"), *_numbered(block.inputs, "i"), *outputs]
    names = [_CLOCK, *(name for name, _ in [*named, *seen]), "differs"]
    lines = [f"module {block.name}({', '.join(names)});", f"  input {_CLOCK};", "  output reg differs;"]
    lines += [f"  {'input' if port.is_input else 'output'} {_range(port)}{name};" for name, port in named]
    lines += [f"  input {_range(port)}{name};" for name, port in seen]
    pins = [f".{_CLOCK}({_CLOCK})", *(f".{port.name}({name})" for name, port in named)]
    both = " != ".join(f"{{{', '.join(name for name, _ in ports)}}}" for ports in (outputs, seen))
    lines += [f"  {block.module} compiled ({', '.join(pins)});", f"  always @(posedge {_CLOCK}) differs <= {both};"]
    return on_both_edges("\n".join([block.verilog, *lines, "endmodule"]) + "\n")


def on_both_edges(verilog: str) -> str:
    """Return Verilog in which both edges of the clock count as rising ones.

    Raises:
        ValueError: If it has other edges.
    """
    changed = verilog.replace(f"@(posedge {_CLOCK})", f"@(edge {_CLOCK})")
    if other := _EDGE.search(changed):
        raise ValueError(f"Verilog may have rising edges of {_CLOCK!r} only, not {other[0]!r}")
    return changed


def calls(block: Block) -> str:
    """Return the C++ functions by which the network's simulator calls a block."""
    constants, inputs, outputs = (
        _numbered(block.constants, "c"),
        _numbered(block.inputs, "i"),
        _numbered(block.outputs, "o"),
    )
    model = f"V{block.name}"
    new = [
        f"void* {block.name}_new({', '.join(_c_input(name, port) for name, port in constants)}) {{",
        f'    {model}* model = new {model}{{""}};',
        *(f"    {_set(name, port)}" for name, port in constants),
        "    model->clk = 0;",
        "    model->eval();",
        "    return model;",
        "}",
    ]
    arguments = [_c_input(name, port) for name, port in inputs] + [_c_output(name, port) for name, port in outputs]
    step = [
        f"void {block.name}_step({', '.join(['void* block', *arguments])}) {{",
        f"    {model}* const model = static_cast<{model}*>(block);",
        *(f"    model->s{number} = model->o{number};" for number in range(len(outputs))),
        *(f"    {_set(name, port)}" for name, port in inputs),
        "    model->clk = !model->clk;",
        f"    {model}_cycle(model->rootp);",
        "    if (model->differs) {",
        f'        std::fprintf(stderr, "%%Error: module {block.module}: {NOT_FROM_REGISTERS}\\n");',
        "        std::_Exit(1);",
        "    }",
        *(f"    {_get(name, port)}" for name, port in outputs),
        "}",
    ]
    includes = ["<cstdio>", "<cstdlib>", "<cstring>", '"svdpi.h"', f'"{model}.h"']
    declared = [f"class {model}___024root;", f"void {model}_cycle({model}___024root*);"]
    return "\n".join([*(f"#include {name}" for name in includes), *declared, 'extern "C" {', *new, *step, "}"]) + "\n"


def evaluation(block: Block) -> str:
    """Return the C++ function for one cycle of a block that calls Verilator's own evaluation."""
    root = f"V{block.name}___024root"
    lines = [f"void {root}___eval({root}*);", f"void V{block.name}_cycle({root}* root) {{ {root}___eval(root); }}"]
    return "\n".join(lines) + "\n"


def _is_wide(port: Port) -> bool:
    return port.bits > _LONGINT_BITS


def _c_number(port: Port) -> str:
    return "unsigned int" if port.bits <= _INT_BITS else "unsigned long long"


def _c_input(name: str, port: Port) -> str:
    return f"const svBitVecVal* {name}" if _is_wide(port) else f"{_c_number(port)} {name}"


def _c_output(name: str, port: Port) -> str:
    return f"svBitVecVal* {name}" if _is_wide(port) else f"{_c_number(port)}* {name}"


def _set(name: str, port: Port) -> str:
    if _is_wide(port):
        return f"std::memcpy(&model->{name}, {name}, sizeof(model->{name}));"
    return f"model->{name} = {name};"


def _get(name: str, port: Port) -> str:
    if _is_wide(port):
        return f"std::memcpy({name}, &model->{name}, sizeof(model->{name}));"
    return f"*{name} = model->{name};"
