"""The theorems that certificates use, and their premises: docs/understand/liveness_theorems.md proves them."""

FORMAT = "hydranoc certificate 1"
HOSTS = "hosts take what arrives, and send sound headers"
FLITS = "a switch in which a flit behind a head has a credit moves one within a bound"
VCS = "a switch in which a flit has a credit, or a head a free VC, moves one within a bound"
WORMS = "a header gets its outputs within a bound of releases, and its flits move wherever there is room"
HEADS = "a head that waits gets a VC that stays free for it"
PAGES = "a node gives pages by levels, and sends packets that have a page ahead"
THEOREMS = {
    "torus": ("VCs in order", (HOSTS, f"{VCS} (torus-progress)")),
    "hypercube": ("escapes in order", (HOSTS, f"{FLITS} (hypercube-progress)", f"{HEADS} (vc-allocator)")),
    "spam": (
        "channels in order, branches nested",
        (HOSTS, f"{WORMS} (router-progress)", "a header enters all its queues at once (route-unit, request-queues)"),
    ),
    "min": (
        "channels in order, branches serialised",
        (HOSTS, f"{WORMS} (min-router-progress)", "a token has one holder at a time (token-ring, tree-operations)"),
    ),
    "harts": ("pages by levels", (HOSTS, f"{PAGES} (harts-bus, harts-chain, harts-transmitters, page-queues)")),
}
"""Name of the theorem and its premises, by family. Premises about the hardware name their proofs (docs/understand/)."""
PLANE = "plane"
MEMBERS = "members call a group's operations in one order and send packets of all groups in one order, whole"
RECEIVERS = "they take their results"
PASSING = "switches and endpoints pass on words that have credits within a bound (plane-switch, plane-contribution)"
ALL_THEOREMS = {**THEOREMS, PLANE: ("buffers in the order of the tree", (MEMBERS, RECEIVERS, PASSING))}
"""Likewise, with that of collective planes."""
FIELDS = {"format", "family", "theorem", "premises", "manifest_sha256", "verilog_sha256", "order"}
MORE_FIELDS = {"spam": {"nesting"}, "min": {"tokens"}, "hypercube": {"escapes"}, PLANE: {"word_cycles"}}
