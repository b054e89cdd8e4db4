"""Peers built from tarballs of their sources; kept in the cache folder like built simulators, each as long as its
tarball stays the same."""

import hashlib
import shutil
import subprocess
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peer_program import PeerError
from hydranoc.lockstep.kept import PEER, find_or_build
from hydranoc.reports.failures import failure

LOG = "build.log"


@dataclass(frozen=True)
class Peer:
    """A simulator as a tarball, and its build commands.

    Parameters:
        tarball: File name.
        sources: A folder in the tarball.
        program: Program that is built, relative to the unpacked tarball.
        steps (tuple of commands): Commands run there, one after the other.
    """

    name: str
    tarball: str
    sources: str
    program: str
    steps: tuple[tuple[str, ...], ...]


BOOKSIM2 = Peer(
    "BookSim2", "booksim2.tar.gz", "booksim2/src", "booksim2/src/booksim", (("make", "-s", "-C", "booksim2/src"),)
)
CNSIM = Peer(
    "CNSim",
    "cnsim.tar.gz",
    "cnsim/src",
    "cnsim/build/ChipletNetworkSim",
    (
        ("cmake", "-S", "cnsim", "-B", "cnsim/build", "-DCMAKE_BUILD_TYPE=Release"),
        ("cmake", "--build", "cnsim/build"),
    ),
)


def tarball_of(peer: Peer, folder: Path) -> Path:
    """Return a peer's tarball in a folder.

    Raises:
        PeerError: If the folder does not exist, or does not contain the tarball.
    """
    if not folder.is_dir():
        raise PeerError(f"--peers is {str(folder)!r}; it must be a folder with {peer.tarball}")
    tarball = folder / peer.tarball
    if not tarball.is_file():
        found = ", ".join(sorted(path.name for path in folder.iterdir())[:5]) or "nothing"
        raise PeerError(f"{folder} must hold {peer.tarball}, the sources of {peer.name}, not only {found}")
    return tarball


def built(peer: Peer, tarball: Path) -> Path:
    """Return the program of a peer; build it if it is not in the cache folder.

    Raises:
        PeerError: If the tarball cannot be unpacked, a tool is missing, the build fails or leaves no program, or the
            cache folder is not writable.
    """
    program = Path(peer.program).name
    try:
        content = hashlib.sha256(tarball.read_bytes() + repr(peer).encode()).hexdigest()
        folder, _ = find_or_build(
            f"{PEER}-{peer.name}-{content[:16]}", program, lambda building: _build(peer, tarball, building)
        )
    except OSError as error:
        raise PeerError(f"{peer.name} cannot be built: {error.strerror}: {error.filename}") from None
    return folder / program


def _build(peer: Peer, tarball: Path, folder: Path) -> None:
    unpacked = folder / "unpacked"
    _unpack(tarball, unpacked)
    if not (unpacked / peer.sources).is_dir():
        raise PeerError(f"{tarball} must hold a folder {peer.sources}, with the sources of {peer.name}")
    log = "".join(_run(peer, step, unpacked) for step in peer.steps)
    if not (unpacked / peer.program).is_file():
        raise PeerError(failure(peer.name, f"was built without its program {peer.program}", log))
    (folder / LOG).write_text(log)
    shutil.copy2(unpacked / peer.program, folder)


def _unpack(tarball: Path, folder: Path) -> None:
    try:
        with tarfile.open(tarball) as archive:
            for member in archive:
                _check_place(member, folder)
            # Python 3.11.3 and before have no filters; later ones would warn without
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(folder)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        first_line = str(error).partition("\n")[0]
        raise PeerError(f"{tarball} cannot be unpacked: {first_line}") from None


def _check_place(member: tarfile.TarInfo, folder: Path) -> None:
    """Check that a member is a file or folder below the folder."""
    place = (folder / member.name).resolve()
    if not (member.isfile() or member.isdir()) or not place.is_relative_to(folder.resolve()):
        raise tarfile.TarError(f"{member.name!r} must be a file or folder of its own")


def _run(peer: Peer, step: tuple[str, ...], folder: Path) -> str:
    try:
        done = subprocess.run(
            step, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise PeerError(f"{peer.name} cannot be built: {step[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise PeerError(failure(peer.name, f"cannot be built, {step[0]} ended with {done.returncode}", done.stdout))
    return done.stdout
