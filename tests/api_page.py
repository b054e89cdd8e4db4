"""Objects on the page of the Python interface (docs/look_up/api.md), and the content of their docstrings."""

import ast
import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.test_layers import LAYERS

ROOT = Path(__file__).parent.parent
API = (ROOT / "docs" / "look_up" / "api.md").read_text()
DIRECTIVE = re.compile(r"^\.\. (currentmodule|auto\w+):: (\S+)((?:\n +:[\w-]+:.*)*)$", re.M)


class Shown(NamedTuple):
    """A function, method or class of the page."""

    name: str
    called: Any
    parent: type | None
    """The class whose method it is."""


def named_objects() -> dict[str, Any]:
    """Objects that the page lists, by qualified name."""
    return {name: called for name, called, _ in listed()}


def listed() -> Iterator[tuple[str, Any, bool]]:
    """Whole name, object, and whether members that it inherits are shown too."""
    module = ""
    for directive, name, options in DIRECTIVE.findall(API):
        if directive == "currentmodule":
            module = name
            continue
        if directive == "automodule":
            members = vars(importlib.import_module(name)).items()
            functions = [(member, called) for member, called in members if inspect.isfunction(called)]
            yield from (
                (f"{name}.{member}", called, False)
                for member, called in functions
                if called.__module__ == name and not member.startswith("_")
            )
            continue
        whole = name if "." in name else f"{module}.{name}"
        home, _, attribute = whole.rpartition(".")
        yield whole, getattr(importlib.import_module(home), attribute), ":inherited-members:" in options


def shown() -> list[Shown]:
    """Objects on the page that have a body: functions, classes, and their public methods and properties."""
    found = []
    for name, called, inherits in listed():
        found.append(Shown(name, called, None))
        if inspect.isclass(called):
            members = public_members(called, inherits)
            found += [Shown(f"{name}.{member}", function, called) for member, function in members.items()]
    return found


def public_members(called: type, inherits: bool = True) -> dict[str, Any]:
    """Functions behind the public methods and properties of a class, by name, of the project's own classes alone."""
    fields = getattr(called, "__dataclass_fields__", {})
    own = [base for base in called.__mro__ if base.__module__.partition(".")[0] in LAYERS]
    bases = own if inherits else [called]
    members = {name: body(member) for base in reversed(bases) for name, member in vars(base).items()}
    return {
        name: function
        for name, function in members.items()
        if function is not None and not name.startswith("_") and name not in fields
    }


def body(member: Any) -> Any:
    """The function behind a member of a class; None if there is none."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    if isinstance(member, classmethod | staticmethod):
        return member.__func__
    return member if inspect.isfunction(member) else None


def parameters(called: Any) -> list[str]:
    """Names that a caller gives, without ``self`` and ``cls``, as a docstring writes them."""
    if inspect.isclass(called) and not (inspect.isfunction(called.__init__) or hasattr(called, "_fields")):
        return []  # it has no constructor of its own
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        stars.get(one.kind, "") + one.name
        for one in inspect.signature(called).parameters.values()
        if one.name not in ("self", "cls")
    ]


def overridden(one: Shown) -> list[Any]:
    """Functions that a method overrides, or that protocols of the page define."""
    if one.parent is None:
        return []
    name = one.name.rpartition(".")[2]
    bases = [
        base for base in (*one.parent.__mro__, *protocols()) if base is not one.parent and fulfils(one.parent, base)
    ]
    return list(filter(None, (body(vars(base).get(name)) for base in bases)))


@functools.cache
def protocols() -> tuple[type, ...]:
    """Protocols that the page lists."""
    return tuple(called for called in named_objects().values() if is_protocol(called))


def is_protocol(called: Any) -> bool:
    """True for a protocol: a class that only describes the members of others."""
    return bool(vars(called).get("_is_protocol"))


def fulfils(called: type, base: type) -> bool:
    """True if a class has every member of a protocol, inherited ones included."""
    if not is_protocol(base):
        return True
    own = {*dir(called), *getattr(called, "__dataclass_fields__", {})}
    return public_members(base).keys() <= own


def own_docstring(called: Any) -> str:
    """Its docstring without the indentation; not that of what it overrides."""
    return inspect.cleandoc(called.__doc__ or "")


def sections(docstring: str) -> dict[str, str]:
    """Indented text below each heading."""
    return dict(re.findall(r"^(Parameters|Members|Returns|Yields|Raises):\n((?:(?: {4}.*)?\n?)+)", docstring, re.M))


def described(section: str) -> list[str]:
    """Names that a section of parameters or members has, in their order."""
    heads = re.findall(r"^ {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \(.*|:.*)?$", section, re.M)
    return [name for head in heads for name in head.split(", ")]


def raised(function: Any) -> set[str]:
    """Names of the errors in a function's own ``raise`` statements, as written there; one passed on has none."""
    if not inspect.isfunction(function) or not Path(function.__code__.co_filename).is_relative_to(ROOT):
        return set()  # of no file: made by a dataclass
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    errors = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {error_name(error) for error in errors if error is not None}


def error_name(error: ast.expr) -> str:
    """The class of a raised error, or the name of the function that makes it."""
    called = error.func if isinstance(error, ast.Call) else error
    return ast.unparse(called).rpartition(".")[2]
