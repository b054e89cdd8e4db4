"""``check``: static proofs about a network."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydranoc.api import load
from hydranoc.certificates.writing import CHECKER, Certificate
from hydranoc.reports.output import result_folder, write_whole
from hydranoc.reports.plane_check import plane_figures, plane_rows
from hydranoc.reports.progress import progress_bars
from hydranoc.reports.table import table
from hydranoc.verbs.options import NamedPath, config_argument, json_option, print_summary

if TYPE_CHECKING:
    from hydranoc.design import Design
    from hydranoc.families.reports import CheckReport
    from topology.common.channels import ChannelNetwork
    from topology.common.total_order import OrderVerdict


MAX_LINES = 16


def placement_figures(network: "ChannelNetwork") -> list[dict[str, Any]]:
    """Return the ends of all processors, ready for JSON.

    Returns:
        list of dict: By processor: ``sends_to`` and ``receives_from``, each a list of switch names and of port numbers
            there, by injection channel and by delivery channel.
    """
    return [
        {
            "processor": processor,
            "sends_to": [
                {"switch": network.vertex_name(channel.sink), "port": channel.sink_port}
                for channel in _channels(network, network.output_channel, processor)
            ],
            "receives_from": [
                {"switch": network.vertex_name(channel.source), "port": channel.source_port}
                for channel in _channels(network, network.input_channel, processor)
            ],
        }
        for processor in range(len(network.processors))
    ]


def placement_text(network: "ChannelNetwork") -> str:
    """Return the ends of the first processors, a line for each."""
    found = placement_figures(network)
    lines = ["processors:"]
    for entry in found[:MAX_LINES]:
        lines.append(f"  p{entry['processor']}  {_ends(entry)}")
    if len(found) > MAX_LINES:
        lines.append(f"  ... {len(found) - MAX_LINES:,} more: --json lists all")
    return "\n".join(lines)


def _channels(network: "ChannelNetwork", of_vertex: Any, processor: int) -> list[Any]:
    return [network.channels[channel] for channel in of_vertex[network.processor_vertex(processor)]]


def _ends(entry: dict[str, Any]) -> str:
    sends, receives = (_switches(entry[key]) for key in ("sends_to", "receives_from"))
    if sends == receives:
        return f"at {sends}"
    return f"sends to {sends}, receives from {receives}"


def _switches(ends: list[dict[str, Any]]) -> str:
    ports: dict[str, list[str]] = {}
    for end in ends:
        ports.setdefault(end["switch"], []).append(str(end["port"]))
    return ", ".join(f"{name} port{'s' * (len(of) > 1)} {', '.join(of)}" for name, of in ports.items())


SHOWN_PAIRS = 5
NETWORK_FILES, PLANE_FILES = "manifest.json noc.v", "noc_plane.json noc_plane.v"


@click.command()
@config_argument
@click.option(
    "--tables", type=NamedPath(), metavar="FILE", help="Write the routing tables as CSV, for network.routing."
)
@click.option(
    "--certificate",
    type=NamedPath(),
    metavar="FILE",
    help="Write a certificate of both for the Verilog of `hydranoc verilog`, which a separate program checks.",
)
@click.option(
    "--digests",
    type=NamedPath(),
    metavar="FILE",
    help="Write the digests of all modules of this Verilog, the only input that the checker of a certificate trusts.",
)
@json_option
def check(config: Path, tables: Path | None, certificate: Path | None, digests: Path | None, as_json: bool) -> int:
    """Build the tables of CONFIG's network; prove that every message reaches its destinations whatever outputs
    it is given, that no set of messages can deadlock, and in which order receivers see messages. Prove of a collective
    plane that it reaches all members of its groups and cannot deadlock; its certificate and digests go to files of
    their own, such as certificate_plane.json. Exit code 1 if a proof fails, or if a certificate is asked for and there
    is none. With the section axi4 both of its networks are proved.

    \b
    Example:
      hydranoc check examples/demo.yaml
      hydranoc check examples/demo.yaml --tables tables.csv
      hydranoc check examples/demo.yaml --certificate certificate.json --digests digests.json
    """
    _check_files({"--tables": tables, "--certificate": certificate, "--digests": digests})
    design = load(config)
    if design.config.source.former:
        click.echo(f"{config}: {', '.join(design.config.source.former)}", err=True)
    if design.axi4 is not None:
        design.axi4.check_hardware()
    with progress_bars("checking"):
        report = design.check()
        ends = {} if design.axi4 is None else {name: one.check() for name, one in design.axi4.networks.items()}
        rows = None if tables is None else _write_tables(design, tables)
        proof = None if certificate is None else _write_certificate(design, report, certificate)
        plane_proof = None if certificate is None else _write_plane_certificate(design, certificate)
        if digests is not None:
            write_whole({digests: (proof and proof.digests) or design.digests()})
            if design.plane is not None:
                own = (plane_proof and plane_proof.digests) or design.plane_digests()
                write_whole({_of_plane(digests): own})
    figures = _figures(design.family.name, report)
    text = _text(config, design.family.title, report, design.network.switch_names)
    figures["processors"] = placement_figures(design.network)
    text += f"\n\n{placement_text(design.network)}"
    if design.axi4 is not None:
        figures["axi4"] = {name: _figures(one.family.name, ends[name]) for name, one in design.axi4.networks.items()}
        rows_of_ends = [
            (f"axi4 {name}", f"{_reachability(one)}; deadlock {_deadlock(one)}") for name, one in ends.items()
        ]
        flits = figures["axi4"]["responses"]["write_response_flits"] = design.axi4.write_response_flits
        rows_of_ends.append(("axi4 write responses", f"{flits} flit{'s' * (flits > 1)} each"))
        text += f"\n\n{table(rows_of_ends)}"
    if rows is not None:
        figures["table_rows"] = rows
        text += f"\n\ntables: {tables}, {rows:,} rows"
    if proof is not None:
        figures["certificate"] = {"file": proof.text and str(certificate), "verdict": proof.verdict}
        text += f"\n\n{_certificate(proof, NETWORK_FILES, certificate, digests)}"
    if plane_proof is not None and certificate is not None:
        file = _of_plane(certificate)
        figures["plane_certificate"] = {"file": plane_proof.text and str(file), "verdict": plane_proof.verdict}
        text += f"\n\n{_certificate(plane_proof, PLANE_FILES, file, digests and _of_plane(digests))}"
    if digests is not None:
        figures["digests"] = str(digests)
        text += f"\n\ndigests: {digests}, of the modules that this HydraNoC writes for {config}"
    print_summary(figures, text, as_json)
    proved = report.right and all(one.right for one in ends.values())
    return 0 if proved and all(one is None or one.text for one in (proof, plane_proof)) else 1


def _of_plane(file: Path) -> Path:
    """Return the file of the plane beside that of the network."""
    return file.with_stem(f"{file.stem}_plane")


def _check_files(files: Mapping[str, Path | None]) -> None:
    """Refuse two options that name one file.

    Raises:
        UsageError: For the first of them.
    """
    options: dict[Path, str] = {}
    for option, file in files.items():
        for written in () if file is None else (file,) if option == "--tables" else (file, _of_plane(file)):
            if (other := options.setdefault(written.resolve(), option)) != option:
                raise click.UsageError(f"{other} and {option} must not both write {written}")


def _write_plane_certificate(design: "Design", certificate: Path) -> Certificate | None:
    """Write the certificate of the plane, if there is a plane."""
    if design.plane is None:
        return None
    made = design.plane_certificate()
    if made.text is not None:
        write_whole({_of_plane(certificate): made.text})
    return made


def _write_certificate(design: "Design", report: "CheckReport", file: Path) -> Certificate:
    if not report.network_right:
        return Certificate(None, _refutation(report))
    certificate = design.certificate()
    if certificate.text is not None:
        write_whole({file: certificate.text})
    return certificate


def _refutation(report: "CheckReport") -> str:
    """Return the reason why a network is wrong, besides its plane."""
    if report.unreached:
        return _reachability(report)
    if not report.deadlock.free or report.ordering is None:
        return report.deadlock.reason
    return f"ordering is {report.promised_ordering}; {report.ordering.doubt(report.promised_ordering)}"


def _certificate(certificate: Certificate, generated: str, file: Path | None, digests: Path | None) -> str:
    if certificate.text is None:
        return f"certificate: NONE, and {file} is not written: {certificate.verdict}"
    command = f"python -I {CHECKER} {generated} {file} {digests or 'digests.json'}"
    made = "" if digests else "\n             (hydranoc check CONFIG --digests digests.json makes the last file)"
    return f"certificate: {file}, {certificate.verdict}\ncheck it:    {command}{made}"


def _write_tables(design: "Design", file: Path) -> int:
    with result_folder(file.parent) as scratch:
        return design.write_tables(scratch / file.name)


def _figures(family: str, report: "CheckReport") -> dict[str, Any]:
    return {
        "family": family,
        "right": report.right,
        "sizes": report.sizes,
        "pairs": report.pairs,
        "unreached_pairs": [list(pair) for pair in report.unreached],
        "deadlock": {**asdict(report.deadlock), "cycle": list(report.deadlock.cycle)},
        **({} if report.ordering is None else {"ordering": _order_figures(report, report.ordering)}),
        **({} if report.plane is None else {"plane": plane_figures(report.plane)}),
    }


def _text(config: Path, title: str, report: "CheckReport", names: Sequence[str]) -> str:
    rows: list[tuple[str, object]] = [("network", config), ("family", title)]
    rows += [(name.replace("_", " "), value) for name, value in report.sizes.items()]
    rows += [("reachability", _reachability(report)), ("deadlock", _deadlock(report))]
    if report.ordering is not None:
        rows.append(("ordering", _ordering(report, report.ordering)))
    plane = report.plane
    if plane is not None:
        rows += plane_rows(plane, names)
    lines = [table(rows), *_ring("channels", report.deadlock.cycle)]
    return "\n".join(lines + ([] if plane is None else _ring("places of the plane", plane.cycle)))


def _ring(what: str, cycle: Sequence[str]) -> list[str]:
    """Return lines that show a cycle; none if there is no cycle."""
    if not cycle:
        return []
    return ["", f"{what} that wait for each other:", "  " + "\n  waits for ".join([*cycle, cycle[0]])]


def _reachability(report: "CheckReport") -> str:
    if not report.unreached:
        return f"proved for all {report.pairs:,} pairs of source and destination"
    pairs = ", ".join(f"p{source} to p{destination}" for source, destination in report.unreached[:SHOWN_PAIRS])
    more = ", ..." if len(report.unreached) > SHOWN_PAIRS else ""
    return f"FAILS for {len(report.unreached):,} of {report.pairs:,} pairs: {pairs}{more}"


def _order_figures(report: "CheckReport", verdict: "OrderVerdict") -> dict[str, Any]:
    return {"promised": report.promised_ordering, **asdict(verdict)}


def _ordering(report: "CheckReport", verdict: "OrderVerdict") -> str:
    from topology.common.total_order import PAIR  # loads NumPy: only where a network is checked

    if verdict.total:
        return f"total: {verdict.reason}"
    if not report.ordered:
        return f"FAILS: {verdict.doubt(report.promised_ordering)}"
    if report.promised_ordering == PAIR:
        return "pair: every header has one candidate at each switch"
    if verdict.agreed:
        return f"one at all receivers, but messages of one source may overtake each other: {verdict.reason}"
    return f"none: {verdict.reason}"


def _deadlock(report: "CheckReport") -> str:
    verdict = report.deadlock
    sizes = f"{verdict.channels} channels, {verdict.dependencies} dependencies, {verdict.splits} splits"
    return f"{'impossible' if verdict.free else 'POSSIBLE'}: {verdict.reason} ({sizes})"
