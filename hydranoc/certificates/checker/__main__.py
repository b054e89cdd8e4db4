"""Checks a certificate of freedom from deadlock and of delivery against the Verilog that it is for: that of a network,
or of a collective plane.

    python -I checker manifest.json noc.v certificate.json digests.json

This folder is a program of its own: standard library only, nothing of HydraNoC, and it can be copied. All rules are
stated here once more, so that a slip in the generator, or in what writes certificates, is not repeated. The first three
files may come from anywhere. The fourth one is what is believed: digests of the module texts that HydraNoC writes for
parameters, made by a HydraNoC that the reader trusts (``hydranoc check CONFIG --digests digests.json``).

Exit code 0: accepted. 1: refused. 2: a file cannot be read. It says why in one line. docs/understand/liveness.md has
the theorems, where their premises are proved, and the list of what is demanded here and what is believed.
"""

import hashlib
import sys
from pathlib import Path

import harts
import hypercube
import multistage
import spam
import torus
from digests import PARAMETERS, PLANE_PARAMETERS, check_modules
from documents import demand_same, read_document
from hardware import Hardware
from network import NAME, Network
from plane import PlaneHardware, check_bounds, check_order
from plane_tree import PlaneTree
from refusal import Refused, demand
from theorems import ALL_THEOREMS, FIELDS, FORMAT, MORE_FIELDS, PLANE
from verilog import WiredModule, module_ports, split_modules

FAMILIES = {"torus": torus, "hypercube": hypercube, "spam": spam, "min": multistage, "harts": harts}
"""Rules by family: form of routers, constants, side wires, and premises of the theorem."""
MAX_BYTES = 1 << 26
"""Largest file: six times the size of the largest networks that can be hardware."""
MAX_LINE = 400


def digest(*texts):
    """Return the SHA-256 of texts, one after the other."""
    return hashlib.sha256("".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def check_fields(certificate, family):
    """Refuse a certificate whose fields are not exactly those of its family's theorem."""
    demand(certificate.get("format") == FORMAT, f"the certificate is no {FORMAT!r}")
    wanted = FIELDS | MORE_FIELDS.get(family, set())
    for name in sorted(wanted ^ set(certificate)):
        demand(False, f"the certificate {'lacks' if name in wanted else 'has a field that is unknown:'} {name!r}")
    demand(certificate["family"] == family, f"the certificate is for family {certificate['family']!r}, not {family!r}")
    theorem, premises = ALL_THEOREMS[family]
    stated = certificate["theorem"] == theorem and certificate["premises"] == list(premises)
    demand(stated, f"the certificate's theorem and premises are not those of {theorem!r}")


def check(manifest_text, verilog, tables, certificate_text, digests_text):
    """Refuse a certificate, or return in a line what it proves."""
    manifest = read_document(manifest_text, "the manifest")
    certificate = read_document(certificate_text, "the certificate")
    is_plane = certificate.get("family") == PLANE
    family = PLANE if is_plane else manifest.get("family")
    known = isinstance(family, str) and (is_plane or family in FAMILIES)
    demand(known, f"there is no theorem for family {family!r}")
    check_fields(certificate, family)
    for what, found in (("verilog", digest(verilog, tables)), ("manifest", digest(manifest_text))):
        given = certificate[f"{what}_sha256"]
        demand(given == found, f"the certificate is for another network: the {what}'s digest is {found}, not {given!r}")
    bodies = split_modules(verilog)
    trusted = read_document(digests_text, "the file of digests")
    name = check_modules(manifest, bodies, trusted, PLANE_PARAMETERS if is_plane else PARAMETERS)
    if is_plane:
        tree = PlaneTree(manifest)
        wired, ports = read_wiring(tree.top, name, bodies, manifest)
        PlaneHardware(tree, wired, ports)
        check_order(tree, certificate)
        cycles = check_bounds(tree, certificate)
        sizes = f"{len(tree.switches)} switches, {tree.groups} groups, a word within {cycles} cycles"
    else:
        network = Network(manifest)
        wired, ports = read_wiring(network.top, name, bodies, manifest)
        hardware = Hardware(network, wired, bodies, ports, FAMILIES[family], certificate, tables.split())
        FAMILIES[family].check(hardware, certificate)
        sizes = f"{len(hardware.channels)} channels"
    theorem, premises = ALL_THEOREMS[family]
    places = f"{len(certificate['order'])} places in the order"
    return f"{theorem}; {sizes}, {places}; provided that {'; '.join(premises)}"


def read_wiring(top, name, bodies, manifest):
    """Return a module, and the ports of the top and of all modules in it; the manifest must list the top's."""
    wired = WiredModule(name, bodies[name])
    demand(top in bodies, f"module {top} is missing in the Verilog")
    placed = {module for module, _ in wired.instances.values() if module in bodies}
    ports = {module: module_ports(bodies[module]) for module in {top, *placed}}
    listed = [{"name": port, "direction": way, "bits": bits} for port, (way, bits) in ports[top].items()]
    demand_same(manifest["ports"], listed, "ports of the manifest")
    return wired, ports


def judged(*texts):
    """Return the exit code and a line for any texts of manifest, Verilog, tables, certificate and digests."""
    try:
        return 0, f"accepted: {check(*texts)}"
    except Refused as refused:
        why = str(refused)
    except RecursionError:
        why = "ways are too long, or brackets too deep"
    except MemoryError:
        why = "the network needs more memory than there is"
    except Exception as error:  # of values that are of another type, or too many, than hydranoc writes
        why = f"manifest or Verilog are not as hydranoc writes them: {type(error).__name__} {error}"
    return 1, f"refused: {one_line(why)}"


def one_line(text):
    """Return a text without line breaks and characters that terminals cannot show."""
    line = " ".join(text.encode("ascii", "backslashreplace").decode().split())
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}..."


def read(name):
    """Return the text of a regular file of at most ``MAX_BYTES``.

    Raises OSError or ValueError.
    """
    path = Path(name)
    if not path.is_file():
        raise ValueError(f"{name} is no file")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{name} has more than {MAX_BYTES} bytes")
    return path.read_bytes().decode("utf-8")  # line ends as they are: the digests are of them


def table_file(manifest_text):
    """Return the name of the file with the loaded table words, beside the Verilog; empty if there is none."""
    try:
        manifest = read_document(manifest_text, "the manifest")
    except Refused:
        return ""  # the check of the manifest will say why
    named = isinstance(manifest.get("top"), str) and NAME.fullmatch(manifest["top"])
    return f"{manifest['top']}_tables.hex" if named and "tables" in manifest else ""


def main(arguments):
    """Check the files named on the command line, and return the exit code."""
    if len(arguments) != 4:
        sys.stderr.write("usage: python -I checker manifest.json noc.v certificate.json digests.json\n")
        return 2
    try:
        manifest, verilog, certificate, digests = map(read, arguments)
        loaded = table_file(manifest)
        tables = read(Path(arguments[1]).parent / loaded) if loaded else ""
    except (OSError, ValueError) as error:
        sys.stderr.write(f"cannot read: {one_line(str(error))}\n")
        return 2
    code, line = judged(manifest, verilog, tables, certificate, digests)
    sys.stdout.write(f"{line}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
