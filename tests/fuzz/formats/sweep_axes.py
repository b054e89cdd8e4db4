"""Arguments of ``sweep --over``: keys and values, as words and ranges."""

from typing import Any

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from hydranoc.sweeps.run import Sweep
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.odd_values import ODD_VALUES, odd_text
from tests.fuzz.word_mutations import miswritten

CONTENT: dict[str, Any] = {
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
    *(
        "network.topology.shape.0",
        "network.topology.shape.9",
        "network.buffer_flits",
        "network.flit_bits",
        "hosts.pause",
    ),
    *("traffic.messages_per_node_per_cycle", "traffic.messages_per_node_per_cycle", "traffic.flits", "traffic.flits.4"),
    *(
        "traffic.seed",
        "traffic.cycles",
        "traffic.pattern",
        "traffic.injection.kind",
        "traffic",
        "hosts.blocked.0.cycles",
    ),
    *(
        "hosts.blocked.1.cycles",
        "hosts.blocked.cycles",
        "network.new",
        "new.new",
        "traffic.flits.a",
        ".",
        "a..b",
        "0",
        "",
    ),
)
VALUES = (
    *(
        "1,2,4",
        "0.1,0.2",
        "0.01:0.05:3",
        "1:4:4",
        "0.01:0.1:3:log",
        "[2,2],[2,3]",
        "uniform,transpose",
        "{4: 1.0}",
        "4",
    ),
    *("torus,spam", "null", "true,false", "1:1:1", "5:1:3", "0:1:2:log", "1:2:0", "1:2:1000000", "1:2:-1", "nan:1:3"),
    *(
        "1:inf:3",
        "1e308:-1e308:5",
        "1e-320:1:4:log",
        "1:2:3:4",
        "1:2",
        "1:2:3:lin:a",
        "::",
        ":",
        ",",
        "1,,2",
        "[1",
        "{a: 1",
    ),
    *("2001-01-01", "2001-99-99", "2001-01-01 99:99:99", "!!binary aaa", "!!set {a}", "!!timestamp a", "!!float a"),
    *(
        "!!int a",
        "&a [*a]",
        "&a 1,*a",
        "*a",
        "{[1]: 2}",
        "{a: 1, 1: 2}",
        "{1: 1, a: 2}",
        "? a",
        "- 1",
        "a: 1",
        "190:20:30.15",
    ),
    *(
        "[" * 200 + "]" * 200,
        "[" * 3000,
        "9" * 5000,
        "1,'",
        "0x" + "f" * 5000,
        "0b12",
        "1_000",
        "0o8",
        "08",
        "1e5",
        ".nan",
    ),
    *("=", "1=2", "!!python/name:os.getcwd", "<<", "{<<: {a: 1}}", "{<<: 1}", "~,~", "'1:2:3'", "\ud800", "\udcff"),
)
RIGHT = (
    *(
        "network.buffer_flits=1,2,4",
        "traffic.seed=1:3:3",
        "traffic.messages_per_node_per_cycle=0.01:0.05:3",
        "traffic.flits=4",
    ),
    *(
        "network.topology.shape=[2,2],[2,4]",
        "traffic.pattern=uniform,bit-complement",
        "hosts.pause=0.25,0.5",
        "traffic.cycles=99",
    ),
    *("traffic.messages_per_node_per_cycle=0.01:0.1:3:log", "hosts.blocked.0.cycles=1,2", "traffic.flits=[4,{5: 1.0}]"),
)


def _value(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10**6).replace("\n...", "").strip()


@st.composite
def axes(draw: DrawFn) -> str:
    """A key and its values, with mistakes or without."""
    key = draw(st.one_of(st.sampled_from(KEYS), st.sampled_from(KEYS), st.sampled_from(KEYS), odd_text))
    kinds = (st.sampled_from(VALUES), st.sampled_from(VALUES), odd_text, st.sampled_from(ODD_VALUES).map(_value))
    values = draw(st.one_of(*kinds))
    return f"{key}{draw(st.sampled_from(('=', '=', '=', '=', '=', '', '==', ' = ')))}{values}"


def _argument(text: str) -> str:
    """As a shell can give it: no character 0, and odd bytes as Python has them."""
    return text.replace("\0", "").encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _mistaken(text: str) -> str:
    return _argument("".join(letter for letter in text if not 0xD800 <= ord(letter) <= 0xDC7F))


MAX_ARGUMENT = 128 * 1024 // 4 - 1
"""Characters that an argument of a command has room for in Linux, however many bytes each has."""
CONTENT_TEXT = yaml.safe_dump(CONTENT).encode()


def _case(texts: list[str]) -> Case:
    over = [word for text in texts for word in ("--over", _mistaken(text[:MAX_ARGUMENT]))]
    return Case({CONFIGURATION: CONTENT_TEXT}, ("sweep", CONFIGURATION, *over, "-o", RESULTS))


changed = miswritten(axes() | st.sampled_from(RIGHT)).map(lambda data: data.decode("utf-8", "replace"))
one = st.one_of(axes(), st.sampled_from(RIGHT), changed)
FORMAT = Format(
    "sweep axes",
    st.builds(_case, st.lists(one, min_size=1, max_size=2)),
    reached=((Sweep, "run"),),
)
