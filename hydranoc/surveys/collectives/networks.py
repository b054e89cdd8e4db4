"""The networks of the survey: 64 nodes in each family, or the nearest size, each with a collective plane.

A flit has as many bits as a word of the plane: 32, and 64 in the hexagonal mesh, whose headers need 46. One torus has
flits of four words, because messages gain by wider links and the plane does not. Packets of the hexagonal mesh have up
to 4,096 flits, so that a transfer costs one start-up as elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hydranoc.api import load
from hydranoc.design import Design

WITH_OPERATORS, BARRIERS_ALONE = "plane", "plane of barriers"
PLANES: Mapping[str, Mapping[str, Any]] = {WITH_OPERATORS: {}, BARRIERS_ALONE: {"operators": []}}
"""Keys of the planes; the first has all operators."""


@dataclass(frozen=True)
class SurveyedNetwork:
    """A network of the survey.

    Members:
        name
        family
        topology
        word_bits: Bits of a word, and of a flit if it is no wider.
        words_per_flit
        keys: Further keys of ``network``.
        multicasts (bool): Routers multicast to the whole group.
        procedure: Broadcast procedure of multicasts, in families that have such.
    """

    name: str
    family: str
    topology: Mapping[str, Any]
    word_bits: int = 32
    words_per_flit: int = 1
    keys: Mapping[str, Any] = field(default_factory=dict)
    multicasts: bool = False
    procedure: str | None = None

    def flits(self, words: int) -> int:
        """Return the flits of a vector."""
        return -(-words // self.words_per_flit)

    def configuration(self, plane: str | None) -> dict[str, Any]:
        """Return the content of a configuration file without traffic.

        Parameters:
            plane: Collective plane for all processors, one of ``PLANES``; None for no plane.
        """
        network = {
            "family": self.family,
            "topology": dict(self.topology),
            "flit_bits": self.word_bits * self.words_per_flit,
            **self.keys,
        }
        if plane is not None:
            network["collectives"] = {"groups": "all", "word_bits": self.word_bits, **PLANES[plane]}
        return {"network": network}


MESH, TORUS, WIDE_TORUS = "SPAM, 8x8 mesh", "torus 8x8", "torus 8x8, 4-word flits"
NETWORKS = {
    network.name: network
    for network in (
        SurveyedNetwork(
            "SPAM, irregular", "spam", {"kind": "lattice", "switches": 64, "ports": 8, "seed": 1}, multicasts=True
        ),
        SurveyedNetwork(MESH, "spam", {"kind": "mesh", "shape": [8, 8]}, multicasts=True),
        SurveyedNetwork("MIN, 4x4 switches", "min", {"kind": "bi-butterfly", "radix": 4, "stages": 3}, multicasts=True),
        SurveyedNetwork(
            "HARTS, 61 nodes",
            "harts",
            {"kind": "hexmesh", "size": 5},
            word_bits=64,
            keys={"packet_flits": 4096},
            multicasts=True,
            procedure="sbcast",
        ),
        SurveyedNetwork(TORUS, "torus", {"kind": "torus", "rows": 8, "columns": 8}),
        SurveyedNetwork(WIDE_TORUS, "torus", {"kind": "torus", "rows": 8, "columns": 8}, words_per_flit=4),
        SurveyedNetwork("hypercube", "hypercube", {"kind": "hypercube", "dimensions": 6}),
    )
}
"""By name, in the order of tables and plots."""


@cache
def design_of(name: str, plane: str | None = WITH_OPERATORS) -> Design:
    """Return the design of a network, built once.

    Parameters:
        name: One of ``NETWORKS``.
        plane: See ``SurveyedNetwork.configuration``.
    """
    return load(NETWORKS[name].configuration(plane))
