"""All input formats, by name."""

from tests.fuzz.case import Format
from tests.fuzz.formats import (
    anynet,
    chakra,
    command_lines,
    configurations,
    edge_lists,
    extensions,
    given_results,
    goal,
    graphml,
    hardware,
    msccl,
    netrace,
    sweep_axes,
    table_files,
    traces,
)

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        configurations.FORMAT,
        graphml.FORMAT,
        anynet.FORMAT,
        edge_lists.FORMAT,
        traces.FORMAT,
        netrace.FORMAT,
        goal.FORMAT,
        chakra.FORMAT,
        msccl.FORMAT,
        table_files.FORMAT,
        given_results.MESSAGES_FORMAT,
        given_results.SWEEPS_FORMAT,
        given_results.FIGURES_FORMAT,
        extensions.FORMAT,
        hardware.FORMAT,
        sweep_axes.FORMAT,
        command_lines.FORMAT,
    )
}
