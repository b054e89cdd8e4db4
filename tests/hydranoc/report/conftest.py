"""One browser for all tests of the page."""

import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0"),
    *("--remote-allow-origins=*", "--no-first-run", "--no-default-browser-check", "--hide-scrollbars"),
)


class Browser:
    """A browser with one page; a context manager."""

    def __init__(self, program: str, width: int = 1400, height: int = 1000):
        import websocket

        self._folder = Path(tempfile.mkdtemp())
        size = f"--window-size={width},{height}"
        command = [program, *ARGUMENTS, size, f"--user-data-dir={self._folder}", "about:blank"]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        port = self._port()
        self._socket = websocket.create_connection(f"ws://127.0.0.1:{port[0]}{port[1]}", timeout=SECONDS)
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.complaints: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(SECONDS)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _port(self) -> list[str]:
        """Port and path, which the browser writes once it listens."""
        file, deadline = self._folder / "DevToolsActivePort", time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            lines = file.read_text().split() if file.exists() else []
            if len(lines) == 2:
                return lines
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"Chromium does not start:\n{(self._folder / 'log').read_text(errors='replace')}")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        self._socket.send(json.dumps(message | ({"sessionId": self._session} if self._session else {})))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._take(answer)

    def _take(self, event: dict[str, Any]) -> None:
        content = event.get("params", {})
        if event["method"] == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(content["exceptionDetails"]))
        elif event["method"] == "Runtime.consoleAPICalled" and content["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(content["args"]))
        elif event["method"] == "Log.entryAdded" and content["entry"]["level"] in ("error", "warning"):
            self.complaints.append(content["entry"]["text"])
        elif event["method"] == "Network.requestWillBeSent":
            self.requests.append(content["request"]["url"])

    def open(self, page: Path) -> None:
        """Load a page from a file and wait until its replay is there."""
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait("document.readyState === 'complete' && Boolean(window.hydranoc && hydranoc.frames.length)")

    def ask(self, expression: str) -> Any:
        """Value of an expression; promises are waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        deadline = time.monotonic() + SECONDS
        while not self.ask(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{expression} does not become true; {self.complaints}")
            time.sleep(0.02)

    def click(self, x: float, y: float) -> None:
        """A click with the mouse at a place of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, selector: str) -> None:
        """A click into the middle of an element."""
        x, y = self.ask(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.click(x, y)

    def press(self, key: str, code: str, number: int, text: str = "") -> None:
        """A key, by its name, its place and its number."""
        keys = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **keys)
        self.call("Input.dispatchKeyEvent", type="keyUp", **keys)

    def dark(self, on: bool) -> None:
        """Set the preference for dark colours."""
        value = "dark" if on else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])


@pytest.fixture(scope="session")
def browser(require_program, require_package) -> Iterator[Browser]:
    program = require_program(*PROGRAMS)
    require_package("websocket")
    with Browser(program) as opened:
        yield opened
