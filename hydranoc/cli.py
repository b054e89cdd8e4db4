"""Entry point of the command ``hydranoc VERB CONFIG``, which loads few modules before it handles signals.

Modules such as ``contextlib`` and ``signal`` would take a third of the time that a command by the daemon takes here.

Exit code 0: done and right. 1: done and wrong (mismatch, deadlock, lost message). 2: bad input. 3: environment
failure. Errors are one line on stderr.
"""

import _signal as signal  # pyright: ignore[reportMissingImports] without the enums of ``signal``
import gc
import os
import sys

from hydranoc.daemon.client import exit_code_by_daemon
from hydranoc.exit_codes import INTERRUPTED, TROUBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OBJECTS_AT_START = 200_000
"""Objects that a command makes, most of them by loading modules, before Python looks for garbage among them."""


class _Interrupt:
    """Handler of the signal INT: at once while modules load and at the end, between them as KeyboardInterrupt.

    Modules and libraries may catch an interrupt that comes while they load and raise something else; and nothing
    catches one that comes while Python ends.
    """

    def __init__(self) -> None:
        self.at_once = True
        self.seen = False

    def __call__(self, *_: object) -> None:
        self.seen = True
        if self.at_once:
            _leave_interrupted()
        raise KeyboardInterrupt


_interrupt = _Interrupt()


def run(arguments: "Sequence[str] | None" = None) -> int:
    """Run one command and return its exit code."""
    try:
        from hydranoc.command import execute

        _interrupt.at_once = False
        return execute(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        if _interrupt.seen:
            return INTERRUPTED
        raise


def main() -> None:
    """Run the installed command: by the daemon, if one can run it."""
    code = exit_code_by_daemon()
    os._exit(run_to_end() if code is None else code)


def serve(idle_seconds: float) -> None:
    """Run as the daemon (``hydranoc daemon start``), or a worker of it, until it has been idle for ``idle_seconds``."""
    from hydranoc.environment import set_defaults

    set_defaults()
    from hydranoc.daemon.server import serve_commands

    serve_commands(idle_seconds, run_to_end)


def run_to_end() -> int:
    """Run the command line and return its exit code, after all that Python does at its end but freeing every object."""
    import atexit
    import threading

    from hydranoc.environment import set_defaults

    set_defaults()
    _collect_later()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        code = run()
    except Exception:  # a fault of this program is not "done and wrong"
        import traceback

        traceback.print_exc()
        code = TROUBLE
    _interrupt.at_once = True
    if code == INTERRUPTED:
        # Python ends itself with the signal, whatever the exit code, if an interrupt has passed through an exec() such
        # as those that make dataclasses while modules load
        _leave_interrupted()
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]
    atexit._run_exitfuncs()
    return _flushed(code)


def _collect_later() -> None:
    """Disable garbage collection while modules load, and exempt the loaded modules from later collections."""
    usual = gc.get_threshold()

    def go_on(phase: str, _counts: dict[str, int]) -> None:
        if phase == "stop":
            gc.callbacks.remove(go_on)
            gc.freeze()
            gc.set_threshold(*usual)

    gc.callbacks.append(go_on)
    gc.set_threshold(OBJECTS_AT_START)


def _flushed(code: int) -> int:
    """Return the exit code after all output: Python would report a full disk in its own way at exit, and return 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or TROUBLE
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            except OSError:
                pass
    return code


def _leave_interrupted() -> None:
    try:
        sys.stdout.flush()
    except (OSError, ValueError, RuntimeError):  # the signal may have come amid a flush
        pass
    try:
        os.write(2, b"interrupted\n")
    except OSError:
        pass
    os._exit(INTERRUPTED)
