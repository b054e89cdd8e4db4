"""Stand-ins that print the output of peers, and tarballs from which they are built."""

import io
import stat
import tarfile
from pathlib import Path

CNSIM_OUTPUT = """\
         Config File:
     Packet Length: 5
Single Chip 2D-mesh, 8x8

Time elapsed: 0.05s
Injection rate:0.1 flits/(node*cycle)    Injected:5600    Arrived:  5601    Timeout:  30075
Average latency: 41.4931  Average receiving rate: 0.100018
Internal Hops: 5.25   Parallel Hops: 0   Serial Hops: 0   Other Hops: 0

Time elapsed: 0.15s
Injection rate:0.2 flits/(node*cycle)    Injected:11200    Arrived:  99    Timeout:  30075
Average latency: 999  Average receiving rate: 0.2
Internal Hops: 9   Parallel Hops: 0   Serial Hops: 0   Other Hops: 0

Saturation point!
"""


def printing(folder: Path, name: str, output: str) -> Path:
    """A program that keeps its configuration as ``told`` and prints ``output``."""
    (folder / "output").write_text(output)
    path = folder / name
    path.write_text(f'#!/bin/sh\ncp "$1" {folder}/told\ncat {folder}/output\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def tarball(path: Path, files: dict[str, str]) -> Path:
    """A tarball with these files."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path
