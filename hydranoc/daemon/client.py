"""Client that hands the command line of this process to the daemon, if the user has started one.

Every command loads this module before anything else, so it imports no more than it needs.
"""

import _signal as signal  # pyright: ignore[reportMissingImports] without the enums of ``signal``, like the next one
import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SO_PEERCRED, SOCK_STREAM, SOL_SOCKET, socket
from binascii import crc32

from hydranoc.exit_codes import INTERRUPTED, TROUBLE

SWITCH = "HYDRANOC_DAEMON"
"""Environment variable: the name of the daemon, of which a user may have several, or ``off``."""
PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""Folder of the packages that this process runs."""
FIELD = b"\0"
LENGTH_BYTES = 8
FILES = 4
"""Number of open files sent with a request: working folder and standard streams."""
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
LOST = b"error: the daemon's process for this command was killed\n"


def identity() -> bytes:
    """Return the identity that a daemon and its client must share: name, interpreter, its options and the sources."""
    return f"{os.environ.get(SWITCH)} {sys.executable} {tuple(sys.flags)} {sys.warnoptions} {PACKAGES}".encode()


def address() -> bytes:
    """Return the address of the user's daemon, in Linux's abstract namespace: no file is left behind."""
    return b"\0hydranoc-%d-%08x" % (os.getuid(), crc32(identity()))


def connect() -> socket | None:
    """Return a connection to the user's daemon, or None if there is none."""
    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.connect(address())
        if peer(connection)[1] == os.getuid():
            return connection
    except OSError:
        pass
    connection.close()
    return None


def peer(connection: socket) -> tuple[int, int]:
    """Return process and user at the other end of a connection."""
    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    return int.from_bytes(credentials[:4], sys.byteorder), int.from_bytes(credentials[4:8], sys.byteorder)


def exit_code_by_daemon() -> int | None:
    """Let the daemon run the command of this process.

    Returns:
        int or None: The exit code; None if this process has to run the command itself: there is no daemon, it is
            switched off, or its process could not take over the environment of this one.
    """
    closed = None in (sys.stdin, sys.stdout, sys.stderr)
    if sys.platform != "linux" or closed or os.environ.get(SWITCH) == "off":
        return None
    connection = connect()
    if connection is None:
        return None
    try:
        _send_request(connection)
        worker = int(_line(connection))
    except (OSError, ValueError):
        connection.close()
        return None
    return _wait(connection, worker)


def _send_request(connection: socket) -> None:
    """Send identity, umask, ignored signals, arguments, environment, working folder and standard streams."""
    mask = os.umask(0)
    os.umask(mask)
    ignored = [number for number in FORWARDED if signal.getsignal(number) == signal.SIG_IGN]
    arguments = [os.fsencode(argument) for argument in sys.argv[1:]]
    environment = [name + b"=" + value for name, value in os.environb.items()]
    numbers = b" ".join(b"%d" % number for number in (mask, len(arguments), *ignored))
    text = FIELD.join((identity(), numbers, *arguments, *environment))
    here = os.open(".", os.O_RDONLY)
    try:
        rights = b"".join(file.to_bytes(4, sys.byteorder) for file in (here, 0, 1, 2))
        connection.sendmsg([len(text).to_bytes(LENGTH_BYTES, "big")], [(SOL_SOCKET, SCM_RIGHTS, rights)])
        connection.sendall(text)
    finally:
        os.close(here)


def _line(connection: socket) -> bytes:
    """Return a line from the other end; less than a line if it has ended."""
    line = b""
    while not line.endswith(b"\n"):
        letter = connection.recv(1)
        if not letter:
            break
        line += letter
    return line


def _wait(connection: socket, worker: int) -> int:
    """Return the exit code of a worker, and forward the signals of this process to it."""
    sent = 0

    def forward(number: int, _frame: object) -> None:
        nonlocal sent
        sent = number
        send = os.killpg if number in (signal.SIGINT, signal.SIGQUIT) else os.kill  # as a terminal does
        try:
            send(worker, number)
        except ProcessLookupError:
            pass

    def pause(*_: object) -> None:
        os.killpg(worker, signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.killpg(worker, signal.SIGCONT)

    for number in FORWARDED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, forward)
    signal.signal(signal.SIGTSTP, pause)
    try:
        return int(_line(connection))
    except (OSError, ValueError):
        if sent in (signal.SIGINT, signal.SIGTERM):
            return INTERRUPTED
        os.write(2, LOST)
        return TROUBLE
