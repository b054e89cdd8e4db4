"""The files of a bench project: a network with AXI4-Stream ports, tests in cocotb around it, and a bench in Verilog."""

from importlib import resources

from hydranoc.benches.plain_verilog import plain_bench
from hydranoc.design import Design

TEMPLATE = ("Makefile", "README.md", "noc_tests.py", "streams.py", "test_noc.py")


def bench_project(design: Design) -> dict[str, str]:
    """Names and texts of all files.

    Parameters
    ----------
    design : Design
        The network; of its ways to name destinations the first one is taken.

    Raises
    ------
    ConfigError
        If its family has no AXI4-Stream ends.
    """
    folder = resources.files("hydranoc.benches").joinpath("template")
    files = {name: folder.joinpath(name).read_text(encoding="utf-8") for name in TEMPLATE}
    generated = design.verilog("noc", design.destination_modes[0])
    files["noc_bench.v"] = plain_bench(generated.manifest)
    return files | {f"noc/{name}": text for name, text in generated.files.items()}
