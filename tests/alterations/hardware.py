"""Alterations of the Verilog: pins, constants, register stages, instances, assignments, declarations and modules."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from tests.alterations.networks import OTHERS, Offer, other_verilog
from tests.alterations.pieces import (
    Pin,
    Placed,
    instances,
    modules,
    network_module,
    replaced,
    widths,
)

CONSTANT = re.compile(r"(\d+)'h([0-9a-f]+)")
STAGES = ("link_c", "wire_")


@dataclass(frozen=True)
class Alteration:
    """One alteration, made on demand.

    Members
    -------
    kind : str
        What was done, as it is counted.
    where : str
        The instance, pin, key or module that it was done to, and which way.
    make : function
        Makes the altered offer.
    """

    kind: str
    where: str
    make: Callable[[], Offer]


def hardware_alterations(name: str, sound: Offer, changes: int | None = None) -> Iterator[Alteration]:
    """Yield all alterations of the Verilog of a network.

    Parameters
    ----------
    name : str
    sound : Offer
    changes : int or None
        How many networks of other parameters lend their modules; None for all that there are.
    """
    others = [other_verilog(name, change) for change in range(len(OTHERS[name]))[:changes]]
    for kind, where, verilog in _all(sound.verilog, others):
        if verilog != sound.verilog:
            yield Alteration(kind, where, partial(_signed, sound, verilog=verilog))
    yield from _loaded(sound)


def _signed(sound: Offer, **changed: str) -> Offer:
    return replace(sound, **changed).signed()


def _all(text: str, others: list[str]) -> Iterator[tuple[str, str, str]]:
    for placed in instances(text):
        yield from _pins(text, placed)
        yield from _constants(text, placed)
        yield from _instance(text, placed)
        if placed.name.startswith(STAGES):
            yield from _stages(text, placed)
    yield from _statements(text)
    yield from _modules(text, others)
    yield from _comments(text)


def _loaded(sound: Offer) -> Iterator[Alteration]:
    """Words of loadable tables: every bit flipped, every word removed or doubled."""
    words = sound.tables.split()
    for place, word in enumerate(words):
        flipped = [[f"{int(word, 16) ^ 1 << bit:02x}"] for bit in range(8)]
        for bit, new in enumerate([*flipped, [], [word, word]]):
            text = "".join(f"{one}\n" for one in [*words[:place], *new, *words[place + 1 :]])
            kind = "loaded bit" if bit < 8 else "loaded word"
            yield Alteration(kind, f"word {place}, bit {bit}", partial(_signed, sound, tables=text))


def _pins(text: str, placed: Placed) -> Iterator[tuple[str, str, str]]:
    for place, pin in enumerate(placed.pins):
        where = f"{placed.name}.{pin.name}"
        yield "pin removed", where, _without_pin(text, placed, pin)
        width = widths(text, placed.module).get(pin.name, 1)
        for value in (0, (1 << width) - 1):
            tied = f"{width}'h{value:0{-(-width // 4)}x}"
            yield f"pin tied to {min(value, 1)}", where, replaced(text, pin.span, tied)
        other = placed.pins[(place + 1) % len(placed.pins)]
        first, second = sorted((pin, other), key=lambda one: one.span)
        swapped = replaced(replaced(text, second.span, first.net), first.span, second.net)
        yield "pin swapped", f"{where} with {other.name}", swapped
    yield from _swapped_kin(text, placed)


def _swapped_kin(text: str, placed: Placed) -> Iterator[tuple[str, str, str]]:
    """Nets of pins that differ by their number alone, such as two credits, change places."""
    kin: dict[str, Pin] = {}
    for pin in placed.pins:
        group = re.sub(r"\d+", "#", pin.name)
        if group in kin and group != pin.name:
            before = kin[group]
            swapped = replaced(replaced(text, pin.span, before.net), before.span, pin.net)
            yield "pin swapped", f"{placed.name}.{before.name} with {pin.name}", swapped
        kin[group] = pin


def _without_pin(text: str, placed: Placed, pin: Pin) -> str:
    if not pin.last:
        return replaced(text, pin.line, "")
    before = placed.pins[-2]
    return replaced(text, (before.line[0], pin.line[1]), text[slice(*before.line)].replace("),\n", ")\n"))


def _constants(text: str, placed: Placed) -> Iterator[tuple[str, str, str]]:
    for pin in placed.pins:
        for found in CONSTANT.finditer(text, *pin.span):
            for bit in range(int(found[1])):
                flipped = f"{found[1]}'h{int(found[2], 16) ^ 1 << bit:0{len(found[2])}x}"
                at = found.start() - pin.span[0]
                yield (
                    "constant's bit",
                    f"{placed.name}.{pin.name} at {at} bit {bit}",
                    replaced(text, found.span(), flipped),
                )
            wider = f"{int(found[1]) + 1}'h{found[2]}"
            yield "constant's width", f"{placed.name}.{pin.name}", replaced(text, found.span(), wider)


def _instance(text: str, placed: Placed) -> Iterator[tuple[str, str, str]]:
    own = text[slice(*placed.span)]
    yield "instance removed", placed.name, replaced(text, placed.span, "")
    yield "instance doubled", f"{placed.name} under its name", replaced(text, placed.span, own + own)
    again = own.replace(f" {placed.name} (", f" {placed.name}_again (", 1)
    yield "instance doubled", f"{placed.name} under another name", replaced(text, placed.span, own + again)
    for module in sorted({one.module for one in instances(text)} - {placed.module}):
        changed = own.replace(f"  {placed.module} ", f"  {module} ", 1)
        yield "instance of another module", f"{placed.name} is {module}", replaced(text, placed.span, changed)


def _stages(text: str, placed: Placed) -> Iterator[tuple[str, str, str]]:
    """A register stage is left out with its wires joined, left out for ``valid`` alone, or there twice."""
    nets = {pin.name: pin.net for pin in placed.pins}
    own, name = text[slice(*placed.span)], placed.name
    wires = [("sink", "source")] if "sink" in nets else [("onward__valid", "link__valid")]
    more = [] if "sink" in nets else [("onward__payload", "link__payload"), ("link__ready", "onward__ready")]
    without = replaced(text, placed.span, "")
    for out, inner in wires + more:
        without = without.replace(f"({nets[out]})", f"({nets[inner]})")
    yield "stage removed", name, without
    for out, inner in wires:
        others = text[: placed.span[0]].replace(f"({nets[out]})", f"({nets[inner]})")
        behind = text[placed.span[1] :].replace(f"({nets[out]})", f"({nets[inner]})")
        yield "stage bypassed", f"{name}.{out}", others + own + behind
    second = own.replace(f"{name}", f"{name}x")
    twice = text
    for out, inner in [*wires, *more]:
        second = second.replace(f"({nets[inner]})" if out != "link__ready" else "()", f"({nets[out]})")
        twice = twice.replace(f"({nets[out]})", f"({nets[out].replace(name, name + 'x')})")
    yield "stage doubled", name, twice.replace(own.splitlines()[0], second + own.splitlines()[0], 1)


def _statements(text: str) -> Iterator[tuple[str, str, str]]:
    """Assignments, declarations and ports of the network's top."""
    start, end = network_module(text)
    for line in re.finditer(r"^  assign (\S+) = (.*?);\n", text[start:end], re.M | re.S):
        span = (line.start() + start, line.end() + start)
        yield "assignment removed", line[1], replaced(text, span, "")
        yield "assignment changed", line[1], replaced(text, span, f"  assign {line[1]} = 1'h0;\n")
    for line in re.finditer(r"^  (wire|input|output) (\S+ )?(\S+);\n", text[start:end], re.M):
        span = (line.start() + start, line.end() + start)
        yield "declaration removed", line[3], replaced(text, span, "")
        wider = f"  {line[1]} [{600 if line[2] else 1}:0] {line[3]};\n"
        yield "declaration of another width", line[3], replaced(text, span, wider)
    for added in ("  assign clk = 1'h0;\n", "  assign router_s0__discarding = 0;\n", "  wire more;\n", "  initial;\n"):
        at = text.rindex("endmodule", start, end)
        yield "statement added", added.strip(), replaced(text, (at, at), added)


def _modules(text: str, others: list[str]) -> Iterator[tuple[str, str, str]]:
    """Every module replaced by its like of other parameters, or left out, or with one constant of its own changed."""
    own = modules(text)
    used = {module: body for module, body in own.items() if " router_s0 (\n" not in body}
    for module, body in used.items():
        yield "module removed", module, text.replace(body, "", 1)
        yield "module doubled", module, text.replace(body, body + body, 1)
        for found in list(CONSTANT.finditer(body))[:2]:
            flipped = f"{found[1]}'h{int(found[2], 16) ^ 1:0{len(found[2])}x}"
            yield (
                "module's logic",
                f"{module} at {found.start()}",
                text.replace(body, replaced(body, found.span(), flipped), 1),
            )
        for number, verilog in enumerate(others):
            for other, their in modules(verilog).items():
                if _stem(other) == _stem(module) and (other == module or other not in own):
                    renamed = re.sub(rf"\b{re.escape(other)}\b", module, their)
                    where = f"{module} is {other} of other network {number}"
                    yield "module of other parameters", where, text.replace(body, renamed, 1)


def _stem(module: str) -> str:
    """A module's name without its numbers."""
    return re.sub(r"_(?=[a-z]{0,3}\d).*", "", module)


def _comments(text: str) -> Iterator[tuple[str, str, str]]:
    """Text that tools do not see, or that hides what they should see."""
    start, end = network_module(text)
    first = instances(text)[0]
    own = text[slice(*first.span)]
    yield "comment", "before the network", replaced(text, (start, start), "// a comment\n")
    yield "comment", "before the first instance", replaced(text, first.span, f"  // a comment\n{own}")
    yield "comment", "around the first instance", replaced(text, first.span, f"  /*\n{own}  */\n")
    yield "comment", "around the network", replaced(text, (start, end), f"/*\n{text[start:end]}*/\n")
    for hidden in ("/*", "*/", "`ifdef NONE", '`include "x.v"', "`define clk 1'h0", "// synthesis translate_off"):
        yield "text between modules", hidden, replaced(text, (start, start), f"{hidden}\n")
        yield "text between instances", hidden, replaced(text, (first.span[0], first.span[0]), f"{hidden}\n")
