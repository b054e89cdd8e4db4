"""The theorems that certificates use, and their premises: docs/understand/liveness_theorems.md proves them."""

FORMAT = "hydranoc certificate 1"
HOSTS = "hosts take what arrives, and send sound headers"
VCS = "a flit that is first in its VC and whose VC has a credit leaves within a bound"
WORMS = "a header gets its outputs within a bound of releases, and its flits move wherever there is room"
THEOREMS = {
    "torus": ("VCs in order", (HOSTS, VCS)),
    "hypercube": ("escapes in order", (HOSTS, VCS, "a head that waits gets a VC that stays free for it")),
    "spam": ("channels in order, branches nested", (HOSTS, WORMS, "a header enters all its queues at once")),
    "min": ("channels in order, branches serialised", (HOSTS, WORMS, "a token has one holder at a time")),
    "harts": ("pages by levels", (HOSTS, "a node gives pages by levels, and sends packets that have a page ahead")),
}
"""Name of the theorem and its premises, by family."""
PLANE = "plane"
MEMBERS = "members call a group's operations in one order and send packets of all groups in one order, whole"
RECEIVERS = "they take their results"
PASSING = "switches and endpoints pass on words that have credits within a bound"
ALL_THEOREMS = {**THEOREMS, PLANE: ("buffers in the order of the tree", (MEMBERS, RECEIVERS, PASSING))}
"""Likewise, with that of collective planes."""
FIELDS = {"format", "family", "theorem", "premises", "manifest_sha256", "verilog_sha256", "order"}
MORE_FIELDS = {"spam": {"nesting"}, "min": {"tokens"}, "hypercube": {"escapes"}, PLANE: {"word_cycles"}}
