"""Strict reader of generated Verilog: modules, their ports, and the instances and wires of a module without logic.

Whatever is not of the form that the generator writes is refused, so nothing can hide in comments or macros.
"""

import re

from refusal import Refused, demand

BETWEEN_MODULES = re.compile(
    r"// SPDX-License-Identifier: [\w.-]+|`timescale 1ns ?/ ?1ps|/\* verilator lint_(?:on|off) \w+ \*/"
)
"""Lines allowed before, between and behind modules."""
_HEAD = re.compile(r"module (\S+?) ?\(")
_PORT = re.compile(r"\s*(input|output) (?:(?:wire|reg) )?(?:\[(\d{1,7}):0\] )?(\\\S+ |\w+)(?: = .*)?;")
_TOKEN = re.compile(r"\\\S+ |\d+'h[0-9a-f]+|[A-Za-z_]\w*|\d+|[(),;.{}\[\]:=]|(\s+)")
_CONSTANT = re.compile(r"(\d{1,8})'h([0-9a-f]+)")


def split_modules(text):
    """Return the texts of the modules by name; only comments and blank lines lie between them."""
    strange = re.search(r"[^\n -~]", text)
    demand(not strange, f"the Verilog has the character {strange and strange[0]!r}")
    modules, name, lines = {}, None, []
    for number, line in enumerate(text.split("\n"), 1):
        head = _HEAD.match(line)
        if name is None and head:
            name, lines = head[1], []
            demand(name not in modules, f"line {number} of the Verilog begins a second module {name}")
        elif name is None:
            harmless = not line.strip() or BETWEEN_MODULES.fullmatch(line)
            demand(harmless, f"line {number} of the Verilog stands between modules: {line[:60]!r}")
            continue
        else:
            demand(not line.startswith(("module ", "macromodule")), f"line {number} of the Verilog is in module {name}")
        lines.append(line)
        if line == "endmodule":
            modules[name], name = "\n".join(lines) + "\n", None
    demand(name is None, f"module {name} of the Verilog has no end")
    return modules


def module_ports(body):
    """Return direction and width by name of each port in the head of a module, in that order."""
    head, _, rest = body.partition(");")
    listed = [name.strip().removeprefix("\\") for name in head.partition("(")[2].split(",")]
    declared = {}
    for line in rest.split("\n"):
        if found := _PORT.fullmatch(line):
            declared.setdefault(found[3].strip().removeprefix("\\"), (found[1], int(found[2] or 0) + 1))
    for name in listed:
        demand(name in declared, f"port {name[:60]!r} of a module is not declared")
    return {name: declared[name] for name in listed}


def constant(text, width):
    """Return the value of a constant of ``width`` bits, or None."""
    found = _CONSTANT.fullmatch(text or "")
    if not found or int(found[1]) != width or len(found[2]) != -(-width // 4):
        return None
    value = int(found[2], 16)
    return value if value < 1 << width else None


class WiredModule:
    """A module of nothing but instances and wires.

    ``ports`` and ``wires`` have (direction, width) and width by name, ``instances`` (module, {pin: net}) and
    ``assigned`` what is assigned, all without white space.
    """

    def __init__(self, name, body):
        self.name, self.ports, self.wires, self.instances, self.assigned = name, {}, {}, {}, {}
        self._tokens = _tokens(name, body)
        self._ahead = next(self._tokens, None)
        self.listed = self._head()
        statements = {"input": self._port, "output": self._port, "wire": self._wire, "assign": self._assignment}
        while (word := self._next()) != "endmodule":
            statements.get(word, self._instance)(word)
        demand(self._ahead is None, f"module {name} goes on behind its end")
        demand(list(self.ports) == self.listed, f"ports of module {name} are not those of its head")

    def _next(self, wanted=None):
        token = self._ahead
        if token is None:
            raise Refused(f"module {self.name} has no end")
        self._ahead = next(self._tokens, None)
        if wanted is not None and token != wanted:
            raise Refused(f"module {self.name} has {token!r} where {wanted!r} must be")
        return token

    def _name(self):
        token = self._next()
        demand(token[0].isalpha() or token[0] in "_\\", f"module {self.name} has {token!r} where a name must be")
        return token.strip().removeprefix("\\")

    def _until(self, ends):
        """Return the text up to one of some tokens outside of all brackets, and that token."""
        text, depth = [], 0
        while True:
            token = self._next()
            if depth == 0 and token in ends:
                return "".join(text), token
            depth += (token in "([{") - (token in ")]}")
            demand(depth >= 0 and token not in (";", "endmodule"), f"module {self.name} has {token!r} in an expression")
            text.append(token)

    def _head(self):
        self._next("module")
        demand(self._name() == self.name, f"module {self.name} has another name in its head")
        self._next("(")
        listed = []
        while True:
            listed.append(self._name())
            if not self._more():
                return listed

    def _more(self):
        """Return True if another element of a list follows; otherwise read its end and that of the statement."""
        token = self._next()
        if token == ",":
            return True
        demand(token == ")", f"module {self.name} has {token!r} in a list")
        self._next(";")
        return False

    def _declared(self, end=";"):
        """Return name and width of a declaration."""
        width = 1
        if self._ahead == "[":
            self._next("[")
            high = self._next()
            demand(high.isdecimal() and len(high) < 8, f"module {self.name} declares a width of {high[:20]!r}")
            width = int(high) + 1
            for token in (":", "0", "]"):
                self._next(token)
        name = self._name()
        self._next(end)
        demand(name not in self.ports and name not in self.wires, f"{name} is declared twice in module {self.name}")
        return name, width

    def _port(self, direction):
        name, width = self._declared()
        self.ports[name] = (direction, width)

    def _wire(self, _word):
        name, width = self._declared()
        self.wires[name] = width

    def _assignment(self, _word):
        name, _ = self._until("=")
        demand(name not in self.assigned, f"{name} is assigned twice in module {self.name}")
        self.assigned[name], _ = self._until(";")

    def _instance(self, module):
        name, pins = self._name(), {}
        demand(name not in self.instances, f"there are two instances {name} in module {self.name}")
        self._next("(")
        while True:
            self._next(".")
            pin = self._name()
            self._next("(")
            demand(pin not in pins, f"{name} has two pins {pin}")
            pins[pin], _ = self._until(")")
            if not self._more():
                break
        self.instances[name] = (module, pins)


def _tokens(name, body):
    place = 0
    while place < len(body):
        found = _TOKEN.match(body, place)
        if not found:
            raise Refused(f"module {name} has {body[place : place + 20]!r}, which is no wire, instance or constant")
        if not found[1]:
            yield found[0]
        place = found.end()
