"""Settings of the generated hardware: registers, tables, guards and widths, and the options of ``verilog``."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import fpga.common.single_router
import rtl.endpoints.axi_network
import rtl.generator.network
from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.formats.configurations import KEYS, SMALL, is_large, written
from tests.fuzz.odd_values import odd_values, odd_words
from tests.fuzz.tree_mutations import mistaken

VALUES: dict[str, tuple[Any, ...]] = {
    "counters": (True, False),
    "tables": ("fixed", "loadable"),
    "worm_guard": (True, False),
    "watchdog_flits": (0, 1, 8, 24, 65535),
    "header": ("bit_string", "parts"),
    "flit_bits": (8, 9, 16, 33, 64, 512),
    "buffer_flits": (1, 2, 3, 16, 1024),
    "routing_cycles": (1, 2, 7),
    "link_cycles": (1, 2, 16),
    "lanes": (1, 2, 8),
    "reception": ("first", "vote"),
    "reception_entries": (2, 16),
    "least_copies": (1, 6),
    "guard": (True, False),
    "pages": (1, 30),
    "injection_channels": (1, 2, 3),
    "packet_flits": (2, 17, 4096),
}
OPTIONS: dict[str, tuple[str | None, ...]] = {
    "--registers": ("axi-lite", "axi-lite", "apb", ""),
    "--axi-stream": ("tuser", "leading-word", "tdest", "tkeep"),
    "--axi-clocks": ("network", "shared", "separate", "none"),
    "--top": ("noc", "a", "9a", "module", "a b", "", "a" * 300, "\u00e9"),
    "--router": ("0", "s0", "-1", "99", "9" * 5000, "\u00b2"),
    "--tkeep": (None,),
    "--arrays": (None,),
    "--no-moved": (None,),
    "--json": (None,),
}


@st.composite
def networks(draw: DrawFn) -> Any:
    """A small network with some of the keys of hardware, at times with an odd value."""
    network = dict(draw(st.sampled_from(SMALL))["network"])
    for key in draw(st.lists(st.sampled_from(tuple(VALUES)), max_size=4, unique=True)):
        odd = draw(st.integers(0, 7)) == 0
        network[key] = draw(odd_values if odd else st.sampled_from(VALUES[key]))
    return {"network": network}


@st.composite
def commands(draw: DrawFn) -> tuple[str, ...]:
    """``verilog`` with some options."""
    words: list[str] = []
    for option in draw(st.lists(st.sampled_from(tuple(OPTIONS)), max_size=3, unique=True)):
        value = draw(st.sampled_from(OPTIONS[option]))
        odd = value is not None and draw(st.integers(0, 9)) == 0
        words += [option] if value is None else [option, draw(odd_words).replace("\0", "") if odd else value]
    return ("verilog", CONFIGURATION, *words, "-o", RESULTS)


def _case(document: Any, command: tuple[str, ...]) -> Case:
    return Case({CONFIGURATION: written(document).encode()}, command)


FORMAT = Format(
    "hardware",
    st.builds(_case, st.one_of(networks(), networks(), mistaken(networks(), KEYS)), commands()),
    large=is_large,
    reached=(
        (rtl.generator.network, "generate_network"),
        (rtl.endpoints.axi_network, "generate_axi_network"),
        (fpga.common.single_router, "generate_router"),
    ),
)
