"""Command lines, and the axes of sweeps."""

import os
from importlib import import_module
from typing import Any

import click
import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import fpga.common.subject
import hydranoc.benches.project
import hydranoc.fpga.board
import hydranoc.fpga.run
import hydranoc.pictures.draw
import hydranoc.report_page.run
import rtl.endpoints.axi_network
import rtl.generator.network
from hydranoc.command import group
from hydranoc.design import Design
from hydranoc.sweeps.run import Sweep
from hydranoc.verbs import load_verb
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.formats.given_results import CONTENT, FIGURE, SWEEP, TABLE
from tests.fuzz.mutations import ODD_VALUES, miswritten, odd_text

VALUES: dict[str, tuple[str, ...]] = {
    "config": (CONFIGURATION, CONFIGURATION, CONFIGURATION, "missing.yaml", RESULTS, TABLE, "examples/demo.yaml"),
    "folder": (RESULTS, f"{RESULTS}/a/b", "a/b", CONFIGURATION, f"{CONFIGURATION}/a", "", "."),
    "path": ("out.txt", f"{RESULTS}/out.txt", "missing/out.txt", RESULTS, "", f"{CONFIGURATION}/a"),
    "perfetto": ("out.json", f"{RESULTS}/out.json.gz", RESULTS, "missing/a/b.json"),
    "tables": (f"{RESULTS}/out.csv", "out.csv", RESULTS, "missing/out.csv"),
    "window": (
        *("0:10", "5:5", "10:5", "0:999999999999999999999", "a:b", ":", "0:", "-1:5", "9" * 5000 + ":" + "9" * 5001),
    ),
    "axes": ("network.buffer_flits=1,2", "traffic.seed=1:3:3", "network.buffer_flits", "=", "a=1"),
    "table": (TABLE, FIGURE, "missing.csv", RESULTS, CONFIGURATION),
    "figure": (FIGURE, TABLE, "spam-fig2", "missing.json", RESULTS),
    "messages": (TABLE, "missing.csv", RESULTS, CONFIGURATION),
    "name": ("spam-fig2", "spam-fig", "verilator", "nothing", "harts-table-2"),
    "top": ("noc", "a", "module", "9", "a b"),
    "router": ("0", "s1", "99", "-1"),
    "switch": ("0", "s1", "99", "-1", "\u00b2", "9" * 5000),
    "limit": ("1", "0", "-1", "nan", "inf", "1e400"),
    "dask": ("tcp://127.0.0.1:1", "a", ""),
    "arguments": ("--version", "a"),
}
"""Right and nearly right values, by the name that an option has in its function."""


def _values(parameter: click.Parameter) -> tuple[str, ...]:
    kind = parameter.type
    if isinstance(kind, click.Choice):
        return tuple(map(str, kind.choices))
    return VALUES.get(parameter.name or "", ("1", "5", "0.1", "a"))


def _value(draw: DrawFn, parameter: click.Parameter) -> str:
    odd = draw(st.integers(0, 4)) == 0
    text = draw(odd_text if odd else st.sampled_from(_values(parameter)))
    return text.replace("\0", "").replace("/", "" if odd else "/").replace("..", "")


def _words(draw: DrawFn, parameter: click.Parameter) -> list[str]:
    if isinstance(parameter, click.Argument):
        return [_value(draw, parameter)]
    assert isinstance(parameter, click.Option)
    name = draw(st.sampled_from((*parameter.opts, *parameter.secondary_opts)))
    if parameter.is_flag:
        return [name]
    value = _value(draw, parameter)
    return draw(st.sampled_from(([name, value], [name, value], [name, value], [f"{name}={value}"], [name])))


@st.composite
def lines(draw: DrawFn) -> tuple[str, ...]:
    """A verb with its arguments and some of its options, and then perhaps a word too many, too few or in between."""
    verb = draw(st.sampled_from(tuple(group.commands)))
    words = []
    for parameter in load_verb(verb).params:
        wanted = parameter.required or draw(st.integers(0, 3)) == 0
        words += _words(draw, parameter) if wanted else []
    if words and draw(st.integers(0, 5)) == 0:
        del words[draw(st.integers(0, len(words) - 1))]
    if draw(st.integers(0, 5)) == 0:
        stray = draw(
            odd_text | st.sampled_from(("--help", "-o", "--json", "--", "-", "-x", "--jsn", "--nothing=1", "-oo"))
        )
        words.insert(draw(st.integers(0, len(words))), stray.replace("\0", "").replace("/", ""))
    return (verb if draw(st.integers(0, 30)) else draw(odd_text).replace("\0", ""), *words)


def _case(words: tuple[str, ...]) -> Case:
    return Case({CONFIGURATION: CONTENT.encode(), TABLE: SWEEP.encode(), FIGURE: b"{}\n"}, words)


def stops() -> tuple[tuple[Any, str], ...]:
    """Calls that begin long work or replace this process."""
    return (
        *(
            (os, "execve"),
            (Design, "compare"),
            (Sweep, "run"),
            (import_module("hydranoc.verbs.reproduce"), "_begin"),
            (hydranoc.fpga.run, "measure"),
        ),
        *((hydranoc.fpga.board, "build_board"), (hydranoc.benches.project, "bench_project")),
        *((hydranoc.pictures.draw, "draw_network"), (hydranoc.report_page.run, "run_of")),
        *((rtl.generator.network, "generate_network"), (rtl.endpoints.axi_network, "generate_axi_network")),
        (fpga.common.subject, "generate_router"),
    )


FORMAT = Format(
    "command lines", lines().map(_case), reached=stops(), first=(_case(("model", CONFIGURATION, "-o", RESULTS)),)
)


AXES_CONTENT: dict[str, Any] = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}, "buffer_flits": 2},
    "traffic": {
        "kind": "random",
        "seed": 1,
        "cycles": 100,
        "messages_per_node_per_cycle": 0.02,
        "flits": {4: 0.5, 9: 0.5},
        "injection": {"kind": "bursts", "rate_in_bursts": 0.2, "mean_burst_cycles": 20},
        "pattern": "uniform",
    },
    "hosts": {"pause": 0.25, "blocked": [{"processor": 0, "cycles": 9}]},
}
KEYS = (
    *("network", "network.family", "network.topology", "network.topology.kind", "network.topology.shape"),
    *("network.topology.shape.0", "network.topology.shape.9", "network.buffer_flits", "network.flit_bits"),
    "hosts.pause",
    *("traffic.messages_per_node_per_cycle", "traffic.messages_per_node_per_cycle", "traffic.flits", "traffic.flits.4"),
    *("traffic.seed", "traffic.cycles", "traffic.pattern", "traffic.injection.kind", "traffic"),
    "hosts.blocked.0.cycles",
    *("hosts.blocked.1.cycles", "hosts.blocked.cycles", "network.new", "new.new", "traffic.flits.a", ".", "a..b", "0"),
    "",
)
AXES_VALUES = (
    *("1,2,4", "0.1,0.2", "0.01:0.05:3", "1:4:4", "0.01:0.1:3:log", "[2,2],[2,3]", "uniform,transpose", "{4: 1.0}"),
    "4",
    *("torus,spam", "null", "true,false", "1:1:1", "5:1:3", "0:1:2:log", "1:2:0", "1:2:1000000", "1:2:-1", "nan:1:3"),
    *("1:inf:3", "1e308:-1e308:5", "1e-320:1:4:log", "1:2:3:4", "1:2", "1:2:3:lin:a", "::", ":", ",", "1,,2", "[1"),
    "{a: 1",
    *("2001-01-01", "2001-99-99", "2001-01-01 99:99:99", "!!binary aaa", "!!set {a}", "!!timestamp a", "!!float a"),
    *("!!int a", "&a [*a]", "&a 1,*a", "*a", "{[1]: 2}", "{a: 1, 1: 2}", "{1: 1, a: 2}", "? a", "- 1", "a: 1"),
    "190:20:30.15",
    *("[" * 200 + "]" * 200, "[" * 3000, "9" * 5000, "1,'", "0x" + "f" * 5000, "0b12", "1_000", "0o8", "08", "1e5"),
    ".nan",
    *("=", "1=2", "!!python/name:os.getcwd", "<<", "{<<: {a: 1}}", "{<<: 1}", "~,~", "'1:2:3'", "\ud800", "\udcff"),
)
RIGHT = (
    *("network.buffer_flits=1,2,4", "traffic.seed=1:3:3", "traffic.messages_per_node_per_cycle=0.01:0.05:3"),
    "traffic.flits=4",
    *("network.topology.shape=[2,2],[2,4]", "traffic.pattern=uniform,bit-complement", "hosts.pause=0.25,0.5"),
    "traffic.cycles=99",
    *("traffic.messages_per_node_per_cycle=0.01:0.1:3:log", "hosts.blocked.0.cycles=1,2", "traffic.flits=[4,{5: 1.0}]"),
)


def _axes_value(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).replace("\n...", "").strip()


@st.composite
def axes(draw: DrawFn) -> str:
    """A key and its values, with mistakes or without."""
    key = draw(st.one_of(st.sampled_from(KEYS), st.sampled_from(KEYS), st.sampled_from(KEYS), odd_text))
    kinds = (
        st.sampled_from(AXES_VALUES),
        st.sampled_from(AXES_VALUES),
        odd_text,
        st.sampled_from(ODD_VALUES).map(_axes_value),
    )
    values = draw(st.one_of(*kinds))
    return f"{key}{draw(st.sampled_from(('=', '=', '=', '=', '=', '', '==', ' = ')))}{values}"


def _argument(text: str) -> str:
    """As a shell can give it: no character 0, and odd bytes as Python has them."""
    return text.replace("\0", "").encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _mistaken(text: str) -> str:
    return _argument("".join(letter for letter in text if not 0xD800 <= ord(letter) <= 0xDC7F))


MAX_ARGUMENT = 128 * 1024 // 4 - 1
"""Characters that an argument of a command has room for in Linux, however many bytes each has."""
CONTENT_TEXT = yaml.safe_dump(AXES_CONTENT).encode()


def _axes_case(texts: list[str]) -> Case:
    over = [word for text in texts for word in ("--over", _mistaken(text[:MAX_ARGUMENT]))]
    return Case({CONFIGURATION: CONTENT_TEXT}, ("sweep", CONFIGURATION, *over, "-o", RESULTS))


changed = miswritten(axes() | st.sampled_from(RIGHT)).map(lambda data: data.decode("utf-8", "replace"))
one = st.one_of(axes(), st.sampled_from(RIGHT), changed)
AXES_FORMAT = Format(
    "sweep axes",
    st.builds(_axes_case, st.lists(one, min_size=1, max_size=2)),
    reached=((Sweep, "run"),),
)
