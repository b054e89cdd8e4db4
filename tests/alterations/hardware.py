"""Programmed alterations of Verilog, manifests, and certificates."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from tests.alterations.networks import OTHERS, Offer, other_verilog

INSTANCE = re.compile(r"^  (\S+) (\S+) \(\n(.*?)^  \);\n", re.M | re.S)
PIN = re.compile(r"^    \.(\\?\S+?) ?\((.*?)\)(,?)\n", re.M | re.S)
MODULE = re.compile(r"^module (\S+?) ?\(.*?^endmodule\n", re.M | re.S)
FIRST = re.compile(r" (?:router_s0|switch_s\d+) \(\n")
"""An instance in the module with the routers of a network, or with the switches of a plane."""


@dataclass(frozen=True)
class Pin:
    """A pin of an instance: name, its net, and the positions of the net and of the whole line in the text."""

    name: str
    net: str
    span: tuple[int, int]
    line: tuple[int, int]
    last: bool


@dataclass(frozen=True)
class Placed:
    """An instance: module, name, position in the text, and pins."""

    module: str
    name: str
    span: tuple[int, int]
    pins: tuple[Pin, ...]


@cache
def modules(verilog: str) -> dict[str, str]:
    """Texts of the modules by name."""
    return {found[1]: found[0] for found in MODULE.finditer(verilog)}


@cache
def network_module(verilog: str) -> tuple[int, int]:
    """Position in the text of the module with the routers."""
    (found,) = [one.span() for one in MODULE.finditer(verilog) if FIRST.search(one[0])]
    return found


@cache
def instances(verilog: str) -> tuple[Placed, ...]:
    """The instances of the module with the routers."""
    return tuple(_instances(verilog, *network_module(verilog)))


def _instances(verilog: str, start: int, end: int) -> Iterator[Placed]:
    for found in INSTANCE.finditer(verilog, start, end):
        pins = tuple(
            Pin(pin[1], pin[2], pin.span(2), pin.span(), not pin[3])
            for pin in PIN.finditer(verilog, found.start(3), found.end(3))
        )
        yield Placed(found[1], found[2], found.span(), pins)


@cache
def widths(verilog: str, module: str) -> dict[str, int]:
    """Width of every port of a module."""
    ports = re.findall(r"^  (?:input|output) (?:wire |reg )?(?:\[(\d+):0\] )?(\S+?) ?;", modules(verilog)[module], re.M)
    return {name: int(high or 0) + 1 for high, name in ports}


def replaced(text: str, span: tuple[int, int], new: str) -> str:
    """A text with another piece in the place of one."""
    return text[: span[0]] + new + text[span[1] :]


CONSTANT = re.compile(r"(\d+)'h([0-9a-f]+)")
STAGES = ("link_c", "wire_", "link_up_", "link_down_", "credits_")


@dataclass(frozen=True)
class Alteration:
    """One alteration, made on demand."""

    kind: str
    where: str
    make: Callable[[], Offer]


def hardware_alterations(name: str, sound: Offer, changes: int | None = None) -> Iterator[Alteration]:
    """Yield all alterations of the Verilog of a network."""
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
    used = {module: body for module, body in own.items() if not FIRST.search(body)}
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


Path = tuple[str | int, ...]
TWIN = "\u0000"
"""Ends the key of the second of two pairs with the same key, until all is text."""


def document_alterations(sound: Offer) -> Iterator[Alteration]:
    """All alterations of a network's manifest and certificate."""
    manifest, certificate = json.loads(sound.manifest), json.loads(sound.certificate)
    for kind, where, *put in _of(manifest):
        yield Alteration(f"manifest: {kind}", where, partial(_manifest, sound, manifest, put))
    for kind, where, *put in _of(certificate):
        yield Alteration(f"certificate: {kind}", where, partial(_certificate, sound, certificate, put))


def _manifest(sound: Offer, document: Any, put: Any) -> Offer:
    return replace(sound, manifest=_text(document, *put)).signed()


def _certificate(sound: Offer, document: Any, put: Any) -> Offer:
    return replace(sound, certificate=_text(document, *put))


def _of(document: Any) -> Iterator[tuple[str, str, Path, Any, bool]]:
    """Alteration, place, and the arguments of ``_text``."""
    for path, value in list(places(document)):
        where, key, other = ".".join(map(str, path)), path[-1], _changed(value)
        strange = None if isinstance(value, str) else "x"
        if isinstance(key, int):
            yield "item removed", where, path, [], False
            yield "item doubled", where, path, [value, value], False
        else:
            yield "key removed", where, path, {}, False
            yield "key doubled", f"{where}, the other one first", path, {key: other, key + TWIN: value}, False
            yield "key doubled", f"{where}, the other one last", path, {key: value, key + TWIN: other}, False
        if not isinstance(value, dict):
            yield "value changed", where, path, [other] if isinstance(key, int) else {key: other}, False
        yield "value of another type", where, path, [strange] if isinstance(key, int) else {key: strange}, False
    for path, value in [((), document), *places(document)]:
        where = ".".join(map(str, path))
        if isinstance(value, dict):
            yield "key added", f"{where}.more", path, {**value, "more": 0}, True
        elif isinstance(value, list) and len(value) > 1 and value != [*value[1:], value[0]]:
            yield "items in another order", where, path, [*value[1:], value[0]], True


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every key and item, with its value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key), inner
        yield from places(inner, (*path, key))


def _changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return value[:-1] if value else ["x"]
    return {} if value else "x"


def _text(document: Any, path: Path, new: Any, whole: bool) -> str:
    """The result of ``put`` as JSON, in which keys that end in ``TWIN`` are duplicated."""
    return json.dumps(put(document, path, new, whole), indent=1).replace(json.dumps(TWIN)[1:-1], "") + "\n"


def put(value: Any, path: Path, new: Any, whole: bool = False) -> Any:
    """A document with pairs or items (``new``) in the place of one, or with a whole value replaced by ``new``."""
    if not path:
        return new
    at, rest = path[0], path[1:]
    if rest or whole:
        if isinstance(value, dict):
            return {**value, at: put(value[str(at)], rest, new, whole)}
        return [*value[: int(at)], put(value[int(at)], rest, new, whole), *value[int(at) + 1 :]]
    if isinstance(value, dict):
        pairs = [pair for key, inner in value.items() for pair in (new.items() if key == at else [(key, inner)])]
        return dict(pairs)
    return [*value[: int(at)], *new, *value[int(at) + 1 :]]
