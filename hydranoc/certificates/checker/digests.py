"""Comparison of module texts with the digests that the reader of a certificate trusts."""

import hashlib

from documents import demand_keys, demand_same
from refusal import demand

FORMAT = "hydranoc digests 2"
PARAMETERS = ("top", "family", "parameters", "flit", "header")
"""Parameters that decide the texts of modules: digests and manifest must agree in them."""
PLANE_PARAMETERS = ("top", "parameters", "groups")
"""Likewise of a collective plane, with the members of its groups."""


def module_digest(body):
    """Return the SHA-256 of a module's text, from ``module`` to ``endmodule``."""
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def tree_of(manifest):
    """Return the tree by which the hardware of AXI4-Stream ports makes keys, as the manifest has it; None without."""
    stream = manifest.get("axi_stream")
    return stream.get("tree") if isinstance(stream, dict) else None


def check_modules(manifest, bodies, digests, parameters):
    """Check all modules but one against the digests, and return that one, which has the routers and no logic."""
    demand_keys(digests, ("format", *parameters, "wired_module", "modules"), "the file of digests", ("tree",))
    demand(digests["format"] == FORMAT, f"the file of digests is no {FORMAT!r}")
    for key in parameters:
        demand_same(manifest.get(key), digests[key], f"{key} of the manifest")
    demand_same(tree_of(manifest), digests.get("tree"), "tree of axi_stream")
    known = digests["modules"]
    demand(isinstance(known, dict), "modules of the file of digests is no mapping")
    for name in known:
        demand(name in bodies, f"module {name} is missing in the Verilog")
    others = [name for name in bodies if name not in known]
    demand(len(others) == 1, f"{len(others)} modules have no digest; only the one with the routers may have none")
    demand_same(others[0], digests["wired_module"], "name of the module with the routers")
    for name, right in known.items():
        demand(module_digest(bodies[name]) == right, f"module {name} is not what hydranoc writes for these parameters")
    listed = manifest.get("modules")
    named = isinstance(listed, list) and all(isinstance(name, str) for name in listed)
    demand(named and sorted(listed) == sorted(bodies), "modules of the manifest are not those of the Verilog")
    return others[0]
