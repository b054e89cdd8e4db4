"""The page itself: a template with the run's figures as text, charts, and the data of its replay."""

import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from hydranoc.replay.window import Window
from hydranoc.report_page import sections
from hydranoc.report_page.replay_data import packed, replay_columns, stuck_columns
from hydranoc.report_page.run import Run, smaller
from hydranoc.report_page.scene import scene_of
from hydranoc.studies.common.figure import Figure

MAX_BYTES = 1_000_000
"""Maximum size of a page; a longer replay is cut."""
SCRIPTS = ("data.js", "view.js", "draw.js", "tell.js", "controls.js")
USE_DIGITS = 4


class PageTooLong(ValueError):
    """A page that is too long even without any replay."""


def write_page(
    run: Run, sweep: Mapping[str, Figure] | None = None, reproduced: Figure | None = None
) -> tuple[bytes, Window]:
    """Return the page, at most ``MAX_BYTES`` long, and the replayed cycles.

    Parameters:
        sweep (mapping of str to Figure, or None): Curves of a sweep.
        reproduced: A figure of a paper.

    Raises:
        PageTooLong: If it would be longer even with a replay of one cycle.
    """
    design = run.design
    still = {
        "scene": scene_of(design.network, design.family.link_classes(design.routing)),
        "use": {
            "first": run.use.first,
            "last": run.use.last,
            "flits": run.use.flits_per_cycle.round(USE_DIGITS).tolist(),
            "stalled": run.use.stalled_share.round(USE_DIGITS).tolist(),
        },
        "stuck": stuck_columns(run.waits),
        "cycles": run.outcome.results.cycles,
    }
    window, wanted = run.recording.window, run.recording.window
    while True:
        replay = replay_columns(run.recording.replay(window), run.outcome.results)
        content = _filled(run, window, wanted, packed({**still, "replay": replay}), sweep, reproduced)
        if len(content) <= MAX_BYTES:
            return content, window
        if window.last - window.first == 1:
            text = f"a page must have at most {MAX_BYTES:,} bytes, not {len(content):,}"
            raise PageTooLong(f"{text}: the network, the sweep or the figure is too large")
        window = smaller(window)


def _filled(
    run: Run,
    window: Window,
    wanted: Window,
    data: str,
    sweep: Mapping[str, Figure] | None,
    reproduced: Figure | None,
) -> bytes:
    parts = {
        "title": escape(run.design.config.name),
        "style": _template("style.css"),
        "script": "\n".join(map(_template, SCRIPTS)),
        "data": data,
        "family": escape(run.design.family.title),
        "figures": sections.figures(run),
        "part": sections.part(run, window, wanted),
        "trouble": sections.trouble(run),
        "use": sections.busiest(run),
        "collectives": sections.collectives(run),
        "latencies": sections.latencies(run),
        "sweep": sections.curves(sweep),
        "reproduced": sections.reproduced(reproduced),
        "configuration": sections.configuration(run.design),
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda slot: parts[slot[1]], _template("page.html"))
    return page.encode("utf-8", errors="replace")


def _template(name: str) -> str:
    return (files("hydranoc.report_page") / "template" / name).read_text(encoding="utf-8")
