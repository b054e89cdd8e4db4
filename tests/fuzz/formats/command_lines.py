"""Command lines, and the axes of sweeps."""

import os
from importlib import import_module
from typing import Any

import click
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
from tests.fuzz.mutations import odd_text

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
