"""The parts of a page in plain HTML, readable without its script."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from hydranoc.design import Design
from hydranoc.replay.window import Window
from hydranoc.report_page.charts import figure_charts, histogram_chart
from hydranoc.report_page.run import Run
from hydranoc.reports.collectives import COLUMNS, TITLES, algorithm_text, value_text
from hydranoc.reports.histogram import Histogram, histograms
from hydranoc.reports.summary import load_lines
from hydranoc.studies.common.figure import Figure

BUSIEST = 10
MAX_CONFIGURATION = 40_000
MAX_REPORT = 10_000
"""Maximum characters of a text that a page repeats."""
INTERVALS = "Error bars are 95 % confidence intervals."


class Markup(str):
    """HTML in a table, whose other cells are text."""


DOES_NOT_HOLD = Markup("<strong>does not hold</strong>")
NO_CURVES = "<p>The file says nothing of curves: an earlier <code>hydranoc reproduce</code> has written it.</p>"


def figures(run: Run) -> str:
    """Return the results of the run."""
    said = run.outcome.figures
    rows = [(name.replace("_", " "), said[name]) for name in ("cycles", "messages", "deliveries", "lost", "duplicated")]
    rows += [("deadlocked", "yes" if said["deadlocked"] else "no"), ("flits moved over channels", said["flit_hops"])]
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(_value(value))}</dd></div>" for name, value in rows)
    return f'<dl class="figures">{items}</dl>'


def part(run: Run, window: Window, wanted: Window) -> str:
    """Return a text with the cycles of the replay."""
    end = run.outcome.results.cycles
    if (window.first, window.last) == (0, end):
        return f"All of the run: cycles 0 to {end - 1:,}."
    text = f"Cycles {window.first:,} to {window.last - 1:,} of a run of {end:,} cycles (0 to {end - 1:,})."
    if window != wanted:
        text += f" It was to go to {wanted.last - 1:,}: more than that does not fit into a page."
    return f"{text} <code>--window FIRST:LAST</code> shows another part."


def trouble(run: Run) -> str:
    """Return the report of a deadlock, if there is one."""
    report = run.outcome.deadlock_report
    if not report:
        return ""
    return f'<section class="trouble"><h2>Deadlock</h2><pre>{escape(report[:MAX_REPORT])}</pre></section>'


def busiest(run: Run) -> str:
    """Return the channels with the highest load."""
    use, channels = run.use, run.design.network.channels
    order = np.argsort(-use.flits_per_cycle, kind="stable")[:BUSIEST].tolist()
    carrying = [i for i in order if use.flits_per_cycle[i]]
    rows = [(channels[i].name, f"{use.flits_per_cycle[i]:.3f}", f"{100 * use.stalled_share[i]:.1f}") for i in carrying]
    text = (
        f"<p>Counted in cycles {use.first:,} to {use.last - 1:,}. All {len(channels):,} channels: mean "
        f"{use.flits_per_cycle.mean():.3f}, at most {use.flits_per_cycle.max():.3f} flits per cycle.</p>"
    )
    return text + _table(("busiest channels", "flits per cycle", "stalled, % of cycles"), rows)


def collectives(run: Run) -> str:
    """Return the figures of collective operations, if there are any."""
    said = run.outcome.figures.get("collectives")
    if said is None:
        return ""
    rows = [(one["operation"], algorithm_text(one), *(value_text(one[name]) for name in COLUMNS)) for one in said]
    text = (
        "Latency in cycles, from the start of the first message to the end of the last member. Algorithm bandwidth: "
        "bytes of one member's vector over the mean latency. Bus bandwidth: that times the share of the vector that "
        "must cross each member's link."
    )
    table = _table(("operation", "algorithm", *TITLES), rows)
    return f"<section><h2>Collective operations</h2><p>{text}</p>{table}</section>"


def latencies(run: Run) -> str:
    """Return histogram and figures of latencies."""
    found = histograms(run.outcome.results, run.design.warmup_cycles)
    if not found:
        return "<p>No message that counts has arrived everywhere.</p>"
    rows = [(h.kind, *(_value(v) for v in (h.summary.count, h.summary.mean, *_percentiles(h)))) for h in found]
    names = ("", "messages", "mean, cycles", "p50, cycles", "p99, cycles", "longest, cycles")
    beyond = [
        f"{h.beyond:,} {h.kind}{'s' * (h.beyond > 1)} took longer than the chart shows" for h in found if h.beyond
    ]
    text = f"From the start of a message to the tail at its last destination; {_counted(run)}."
    more = f" {'; '.join(beyond)}." if beyond else ""
    return histogram_chart(found) + f"<p>{text}{more}</p>" + _load(run) + _table(names, rows)


def _load(run: Run) -> str:
    """Return offered and accepted load of random traffic."""
    said = run.outcome.figures.get("load")
    if said is None:
        return ""
    line, *warning = load_lines(said)
    more = "".join(f" <strong>{escape(text)}.</strong>" for text in warning)
    return f"<p>{escape(line[0].upper() + line[1:])}.{more}</p>"


def _percentiles(histogram: Histogram) -> tuple[int | None, ...]:
    return histogram.summary.p50, histogram.summary.p99, histogram.summary.max


def _counted(run: Run) -> str:
    warmup = run.design.warmup_cycles
    return f"messages that start before cycle {warmup:,} are left out" if warmup else "all messages count"


def curves(sweep: Mapping[str, Figure] | None) -> str:
    """Return latency and throughput of a sweep, a chart for each kind of message."""
    if not sweep:
        return ""
    everywhere = [x for figure in sweep.values() for series in figure.series for x in series.x]
    charts = "".join(figure_charts(figure, everywhere) for figure in sweep.values())
    text = "Latency is given only where the verdict is <em>stable</em>."
    return f"<section><h2>Sweep</h2>{charts}<p>{INTERVALS} {text}</p></section>"


def reproduced(figure: Figure | None) -> str:
    """Return a figure of a paper: its curves, the paper's claims and the measured results."""
    if not figure:
        return ""
    rows = [
        ("holds" if claim.holds else DOES_NOT_HOLD, claim.text, claim.measured, claim.note) for claim in figure.claims
    ]
    table = _table(("", "claim", "measured", "remark"), rows)
    charts = figure_charts(figure) + _explained(figure) if figure.series else NO_CURVES
    return f'<section id="figure"><h2>{escape(figure.title)}</h2>{charts}<h3>Claims</h3>{table}</section>'


def _explained(figure: Figure) -> str:
    ends = any(series.saturation for series in figure.series)
    more = " A level line above a chart shows between which loads a curve ends: from there on there are no means."
    return f"<p>{INTERVALS}{more if ends else ''}</p>"


def configuration(design: Design) -> str:
    """Return the configuration as it was written."""
    source = design.config.source
    text = Path(source.file).read_text(encoding="utf-8", errors="replace") if source.file else ""
    if not text:  # it was no file, or a pipe
        text = yaml.safe_dump(source.data, sort_keys=False)
    cut = f"\n... and {len(text) - MAX_CONFIGURATION:,} letters more" if len(text) > MAX_CONFIGURATION else ""
    return f'<pre tabindex="0">{escape(text[:MAX_CONFIGURATION])}{cut}</pre>'


def _value(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts and markup."""
    head = "".join(f'<th scope="col">{_cell(name)}</th>' for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    return text if isinstance(text, Markup) else escape(text)
