"""Checks a certificate of freedom from deadlock and of delivery against the Verilog that it is for.

    python -I checker manifest.json noc.v certificate.json

This folder is a program of its own: standard library only, nothing of HydraNoC, and it can be copied. All rules are
stated here once more, so that a slip in the generator, or in what writes certificates, is not repeated. Exit code 0:
accepted. 1: refused, with one line that says why. 2: a file cannot be read. docs/liveness.md has the theorems, and
where their premises are proved.
"""

import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

from hardware import Hardware
from harts import check_harts
from hypercube import check_hypercube
from multistage import check_min
from refusal import Refused, demand
from spam import check_spam
from theorems import FIELDS, FORMAT, MORE_FIELDS, THEOREMS
from torus import check_torus

CHECKS = {
    "torus": check_torus,
    "hypercube": check_hypercube,
    "spam": check_spam,
    "min": check_min,
    "harts": check_harts,
}


def digest(*texts):
    """SHA-256 of texts, one after the other."""
    return hashlib.sha256("".join(texts).encode()).hexdigest()


def without_twins(pairs):
    """A mapping of JSON, in which no key may be twice."""
    for key, times in Counter(key for key, _ in pairs).items():
        demand(times == 1, f"{key} is twice in a mapping")
    return dict(pairs)


def check(manifest_text, verilog, tables, certificate_text):
    """Refuse a certificate, or say in a line what it proves."""
    manifest = json.loads(manifest_text)
    family = manifest["family"]
    demand(family in THEOREMS, f"there is no theorem for family {family!r}")
    try:
        certificate = json.loads(certificate_text, object_pairs_hook=without_twins)
    except ValueError as error:
        raise Refused(f"the certificate is no JSON: {error}") from None
    demand(isinstance(certificate, dict) and certificate.get("format") == FORMAT, f"the certificate is no {FORMAT!r}")
    wanted = FIELDS | MORE_FIELDS.get(family, set())
    for name in sorted(wanted ^ set(certificate)):
        demand(False, f"the certificate {'lacks' if name in wanted else 'has a field that is unknown:'} {name!r}")
    demand(certificate["family"] == family, f"the certificate is for family {certificate['family']!r}, not {family!r}")
    theorem, premises = THEOREMS[family]
    stated = certificate["theorem"] == theorem and certificate["premises"] == list(premises)
    demand(stated, f"the certificate's theorem and premises are not those of {theorem!r}")
    for what, found in (("verilog", digest(verilog, tables)), ("manifest", digest(manifest_text))):
        given = certificate[f"{what}_sha256"]
        demand(given == found, f"the certificate is for another network: the {what}'s digest is {found}, not {given!r}")
    hardware = Hardware(manifest, verilog, tables)
    CHECKS[family](hardware, certificate)
    sizes = f"{len(hardware.channels)} channels, {len(certificate['order'])} places in the order"
    return f"{theorem}; {sizes}; provided that {'; '.join(premises)}"


def say(verdict):
    """One line on standard output."""
    sys.stdout.write(f"{verdict}\n")


def main(arguments):
    """Check the files named on the command line; returns the exit code."""
    if len(arguments) != 3:
        sys.stderr.write("usage: python -I checker manifest.json noc.v certificate.json\n")
        return 2
    sys.setrecursionlimit(100_000)
    try:
        manifest, verilog, certificate = (Path(name).read_text(encoding="utf-8") for name in arguments)
        loaded = json.loads(manifest).get("tables", {}).get("file")
        tables = (Path(arguments[1]).parent / loaded).read_text(encoding="utf-8") if loaded else ""
    except (OSError, ValueError, AttributeError) as error:
        sys.stderr.write(f"cannot read: {error}\n")
        return 2
    try:
        say(f"accepted: {check(manifest, verilog, tables, certificate)}")
    except Refused as why:
        say(f"refused: {why}")
        return 1
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        say(f"refused: manifest or Verilog are not as hydranoc writes them: {type(error).__name__} {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
