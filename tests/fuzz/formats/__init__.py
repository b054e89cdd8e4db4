"""All input formats, by name."""

from tests.fuzz.case import Format
from tests.fuzz.formats import command_lines, configurations, extensions, given_results, network_files, programs

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        configurations.FORMAT,
        network_files.GRAPHML_FORMAT,
        network_files.FORMAT,
        network_files.EDGE_LIST_FORMAT,
        programs.TRACE_FORMAT,
        programs.NETRACE_FORMAT,
        programs.GOAL_FORMAT,
        programs.FORMAT,
        programs.MSCCL_FORMAT,
        given_results.FORMAT,
        given_results.MESSAGES_FORMAT,
        given_results.SWEEPS_FORMAT,
        given_results.FIGURES_FORMAT,
        extensions.FORMAT,
        configurations.HARDWARE_FORMAT,
        command_lines.AXES_FORMAT,
        command_lines.FORMAT,
    )
}
