"""The page in a browser: replay, figures, and no errors."""

import copy
import json
import re
from pathlib import Path

import numpy as np
import pytest

from hydranoc import load
from hydranoc.report_page.given import read_given_figure
from hydranoc.report_page.page import MAX_BYTES, write_page
from hydranoc.report_page.replay_data import packed, unpacked
from hydranoc.report_page.run import Run, run_of
from hydranoc.studies.common.figure import Figure
from tests.hydranoc.report.conftest import Browser
from tests.hydranoc.report.networks import CONFIGURATIONS

LARGE = {
    "network": {"family": "torus", "topology": {"kind": "torus", "rows": 16, "columns": 16}},
    "traffic": {"kind": "random", "seed": 1, "cycles": 3000, "messages_per_node_per_cycle": 0.005, "flits": 16},
}
MAX_MILLISECONDS = 100
"""Median of a frame at 256 nodes, on a machine under other load."""


def _opened(browser: Browser, run: Run, folder: Path, figure: Figure | None = None) -> None:
    """Open the page of a run, and check that it reports no error and requests no other address."""
    path, (page, _) = folder / "page.html", write_page(run, reproduced=figure)
    assert len(page) < MAX_BYTES
    path.write_bytes(page)
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(path)
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith("data:")] == [path.resolve().as_uri()]


def _click_on_channel(browser: Browser, channel: int) -> None:
    browser.ask("document.getElementById('canvas').scrollIntoView({block: 'center'})")
    x, y = browser.ask(
        f"(() => {{ const b = hydranoc.view.canvas.getBoundingClientRect(), p = hydranoc.view.middleOf({channel});"
        " return [b.x + p[0], b.y + p[1]]; })()"
    )
    browser.click(x, y)
    _painted(browser)


def _painted(browser: Browser) -> None:
    browser.ask("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def _told(browser: Browser) -> str:
    return browser.ask("document.getElementById('told').innerText")


@pytest.fixture(scope="module", params=["spam, links of 3 cycles", "harts", "hypercube"])
def run(request) -> Run:
    return run_of(load(CONFIGURATIONS[request.param]))


def _held_and_waited_for(run: Run) -> tuple[int, int, int]:
    """A cycle, a channel between switches that is held in it while others wait, and the hold."""
    holds, network = run.recording.holds, run.design.network
    for hold, (channel, head, tail) in enumerate(zip(holds.channel, holds.head_cycle, holds.tail_cycle, strict=True)):
        ends = network.channels[channel]
        others = (holds.channel == channel) & (holds.since_cycle < tail) & (holds.head_cycle > tail)
        if others.any() and max(ends.source, ends.sink) < network.switches and head > 50:
            return int(tail), int(channel), hold
    raise AssertionError("no message waits for another")


def test_clicks_show_trees_holders_and_waiters(browser, run, tmp_path):
    _opened(browser, run, tmp_path)
    cycle, channel, hold = _held_and_waited_for(run)
    holds, names = run.recording.holds, [channel.name for channel in run.design.network.channels]
    message = int(holds.message[hold])
    browser.ask(f"hydranoc.go({cycle})")
    _click_on_channel(browser, channel)
    told = _told(browser)
    assert f"Channel {names[channel]}" in told
    assert f"Held by\n\nmessage {message} from cycle {holds.head_cycle[hold]:,} to {cycle:,}" in told
    waiting = (holds.channel == channel) & (holds.since_cycle < cycle) & (holds.head_cycle > cycle)
    assert f"Waiting for it: {waiting.sum()}" in told
    for other, since in zip(holds.message[waiting].tolist(), holds.since_cycle[waiting].tolist(), strict=True):
        assert f"message {other} since cycle {since:,}" in told
    assert f"Message {message}\n" in told
    tree = told.partition("Its way")[2]
    shown = re.findall(r"(\S+->\S+) ([\d,]+) to ([\d,]+)", tree)
    mine = holds.message == message
    rows = zip(holds.channel[mine], holds.head_cycle[mine], holds.tail_cycle[mine], strict=True)
    assert sorted(shown) == sorted((names[c], f"{head:,}", f"{tail:,}") for c, head, tail in rows)
    assert browser.complaints == []


def _wrong_moments(browser: Browser, run: Run) -> list[str]:
    """Cycles in which the page has other holders or waiters than the recording: sampled around many heads and tails."""
    replay, found = run.recording.replay(), []
    columns = [column.tolist() for column in replay[1:6]]
    edges = np.unique(np.concatenate([replay.head_cycle[::9], replay.tail_cycle[::9], replay.since_cycle[::9]]))
    for cycle in {int(edge) + k for edge in edges for k in (0, 1) if 0 <= edge < replay.window.last - 1}:
        rows = list(zip(*columns, strict=True))
        held = {(c, m) for c, m, _, head, tail in rows if -1 < head <= cycle and (cycle <= tail or tail < 0)}
        waiting = {(c, m, s) for c, m, s, head, _ in rows if s < cycle and (head < 0 or cycle < head)}
        said = browser.ask(
            f"(() => {{ const h = hydranoc, m = h.moment.at({cycle}), v = h.visits;"
            "const of = (one) => [v.channel[one], h.messages.number[v.message[one]]];"
            "return [[...m.holder].filter((one) => one >= 0).map(of),"
            " m.waiting.map((one) => [...of(one), v.since[one]])]; })()"
        )
        if [set(map(tuple, part)) for part in said] != [held, waiting]:
            found.append(f"cycle {cycle}")
    return found


def test_every_moment_is_that_of_the_recording(browser, run, tmp_path):
    _opened(browser, run, tmp_path)
    assert _wrong_moments(browser, run) == []


FAULTS = {
    "a channel is left a cycle early": ("if (cycle <= tail[v])", "if (cycle < tail[v])"),
    "a head is there a cycle late": ("if (head[v] <= cycle)", "if (head[v] < cycle)"),
    "messages are not summed up": ("number = summed(columns.number)", "number = Int32Array.from(columns.number)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_page_are_seen(browser, fault, spam, tmp_path):
    path, text = tmp_path / "faulty.html", write_page(spam)[0].decode()
    assert text.count(FAULTS[fault][0]) == 1
    path.write_text(text.replace(*FAULTS[fault]))
    browser.open(path)
    assert _wrong_moments(browser, spam) != []


def test_the_replay_plays_pauses_and_steps(browser, run, tmp_path):
    _opened(browser, run, tmp_path)
    at = "hydranoc.cycle"
    assert browser.ask(at) == 0
    browser.click_on("#forward")
    assert browser.ask(at) == 1
    browser.click_on("#back")
    assert browser.ask(at) == 0
    browser.ask("document.getElementById('speed').value = '100'")
    before = browser.ask("hydranoc.view.canvas.toDataURL()")
    browser.click_on("#play")
    browser.wait("hydranoc.cycle > 40")
    browser.click_on("#play")
    stopped = browser.ask(at)
    _painted(browser)
    assert browser.ask(at) == stopped
    assert browser.ask("hydranoc.view.canvas.toDataURL()") != before
    assert browser.ask("document.getElementById('now').value").startswith(f"cycle {stopped} of 0 to")
    browser.ask(f"hydranoc.go({run.outcome.results.cycles - 2})")
    browser.click_on("#play")
    browser.wait("!hydranoc.playing")  # stops at the end
    assert browser.ask(at) == run.outcome.results.cycles - 1
    assert browser.complaints == []


@pytest.fixture(scope="module")
def spam() -> Run:
    return run_of(load(CONFIGURATIONS["spam"]))


@pytest.fixture
def small(browser, spam, tmp_path) -> Run:
    _opened(browser, spam, tmp_path)
    return spam


def test_the_keyboard_is_enough(browser, small):
    assert small.outcome.right
    browser.ask("document.getElementById('canvas').focus()")
    for _ in range(3):
        browser.press("ArrowRight", "ArrowRight", 39)
    browser.press("ArrowLeft", "ArrowLeft", 37)
    assert browser.ask("hydranoc.cycle") == 2
    browser.press(" ", "Space", 32, " ")
    assert browser.ask("hydranoc.playing")
    browser.press(" ", "Space", 32, " ")
    assert not browser.ask("hydranoc.playing")
    scale = browser.ask("hydranoc.view.unit")
    browser.press("+", "Equal", 187, "+")
    assert browser.ask("hydranoc.view.unit") == pytest.approx(1.4 * scale)
    browser.press("0", "Digit0", 48, "0")
    assert browser.ask("hydranoc.view.unit") == pytest.approx(scale)
    unnamed = "[...document.querySelectorAll('input, select')].filter((e) => !e.labels.length).length"
    assert browser.ask(unnamed) == 0


def test_messages_and_channels_are_found_by_name(browser, small):
    change = (
        "(() => {{ const e = document.getElementById('{}'); e.value = {}; e.dispatchEvent(new Event('change')); }})()"
    )
    browser.ask(change.format("message", "'7'"))
    _painted(browser)
    assert _told(browser).startswith("Message 7\n")
    name = small.design.network.channels[5].name
    browser.ask(change.format("channel", json.dumps(name)))
    _painted(browser)
    assert _told(browser).startswith(f"Channel {name}\n")
    browser.ask(change.format("message", "'999999'"))
    assert browser.ask("document.getElementById('message').validationMessage").startswith("This message is not in")
    browser.click_on("#clear")
    _painted(browser)
    assert _told(browser).startswith("Now\n")


def test_utilisation_has_a_legend_with_units(browser, small):
    browser.click_on("input[value=use]")
    _painted(browser)
    most = small.use.flits_per_cycle.max()
    assert f"{most:.3f} flits per cycle, cycles 0 to 599" in browser.ask("document.getElementById('legend').innerText")
    # the colour of the busiest channel is that of the scale's end
    channel = int(np.argmax(small.use.flits_per_cycle))
    pixel = (
        f"(() => {{ const v = hydranoc.view, [x, y] = v.middleOf({channel});"
        "return [...v.canvas.getContext('2d').getImageData(x * v.ratio, y * v.ratio, 1, 1).data.slice(0, 3)]; })()"
    )
    seen, wanted = browser.ask(pixel), browser.ask("shade(1, false).match(/\\d+/g).map(Number)")
    assert np.abs(np.array(seen) - wanted).max() < 30


def test_dark_and_light_are_both_readable(browser, small):
    assert small.outcome.right
    contrast = """(() => { const light = (name) => { const c = document.createElement('canvas').getContext('2d');
        c.fillStyle = hydranoc.picture.colour(name); c.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
            .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const of = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      return ['ink', 'faint', 'blocked', 'accent'].map((name) => of(light(name), light('raised'))); })()"""
    try:
        for on in (True, False):
            browser.dark(on)
            browser.wait(f"hydranoc.picture.dark === {json.dumps(on)}")
            assert min(browser.ask(contrast)) > 4.5  # the limit of WCAG for text
    finally:
        browser.dark(False)


def test_a_page_without_its_data_says_so(browser, spam, tmp_path):
    path = tmp_path / "broken.html"
    text = write_page(spam)[0].decode()
    path.write_text(re.sub(r'(type="text/plain">).{40}', r"\1", text))
    browser.call("Page.navigate", url=path.as_uri())
    browser.wait("document.readyState === 'complete' && !document.getElementById('failure').hidden")
    assert browser.ask("document.getElementById('failure').textContent").startswith("The replay cannot be shown")
    browser.wait("true")
    assert browser.complaints  # so a failing page does not pass as a good one
    browser.complaints.clear()


REPLAY = """(() => { const h = hydranoc, v = h.visits, m = h.moment.at(h.last - 1);
    const of = (column) => [...column].map((cycle) => (cycle === NEVER ? "never" : cycle - h.first));
    return [v.since, v.head, v.tail, h.messages.start].map(of).concat([[...m.holder], m.waiting]); })()"""
"""Cycles from the first one on, and the holders and waiting visits of the last one."""


def test_cycles_of_long_runs_are_shown(browser, tmp_path):
    text = write_page(run_of(load("examples/deadlock-token.yaml")))[0].decode()
    data = unpacked(re.findall(r'type="text/plain">(.*?)</script>', text)[0])
    found = []
    for later in (0, 2**31, 2**40):
        replay = copy.deepcopy(data["replay"])
        for name in ("first", "last"):
            replay[name] += later
        for column in (replay["head"], replay["messages"]["start"]):  # their other entries are differences
            column[0] += later
        content = packed({**data, "replay": replay})
        (tmp_path / "late.html").write_text(re.sub(r'(type="text/plain">).*?(</script>)', rf"\g<1>{content}\2", text))
        browser.complaints.clear()
        browser.open(tmp_path / "late.html")
        found.append(browser.ask(REPLAY))
        assert browser.complaints == []
    assert found == [found[0]] * 3
    assert "never" in found[0][1]
    assert "never" in found[0][2]
    assert found[0][-1]


@pytest.mark.slow
def test_frames_of_256_nodes_are_short(browser, tmp_path):
    _opened(browser, run_of(load(LARGE)), tmp_path)
    browser.ask("document.getElementById('speed').value = '100'")
    browser.ask("hydranoc.go(500); hydranoc.frames.length = 0")
    browser.click_on("#play")
    browser.wait("hydranoc.frames.length >= 60")
    assert np.median(browser.ask("hydranoc.frames")) < MAX_MILLISECONDS
    assert browser.ask("hydranoc.visits.count") > 10_000


NAME, COLOURS = "spam-fig3", 4
"""A kept figure, its curves."""
READ = "[...document.querySelectorAll('#figure polyline')].map((one) => getComputedStyle(one).stroke)"


@pytest.fixture(scope="module")
def kept() -> Figure:
    return read_given_figure(Path(NAME))


def test_a_figure_fits_a_narrow_window_and_both_kinds_of_colours(browser, spam, kept, tmp_path):
    _opened(browser, spam, tmp_path, kept)
    light = set(browser.ask(READ))
    assert len(light) == COLOURS
    metrics = {"height": 800, "deviceScaleFactor": 1, "mobile": False}
    try:
        browser.dark(True)
        browser.call("Emulation.setDeviceMetricsOverride", width=420, **metrics)
        assert light.isdisjoint(browser.ask(READ))
        assert browser.ask("document.querySelector('#figure svg').getBoundingClientRect().right") <= 420
        assert browser.ask("document.documentElement.scrollWidth") <= 420
    finally:
        browser.dark(False)
        browser.call("Emulation.setDeviceMetricsOverride", width=1400, **{**metrics, "height": 1000})
