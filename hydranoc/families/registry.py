"""The one list of router families and what each of them has to bring."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hydranoc.config import extensions
from hydranoc.config.first import FirstConfiguration
from hydranoc.config.schema import NetworkSection
from hydranoc.families.harts import slots as harts
from hydranoc.families.harts.columns import complete_columns
from hydranoc.families.hypercube import slots as hypercube
from hydranoc.families.lanes import complete_unicast, unicast_columns
from hydranoc.families.min import slots as multistage
from hydranoc.families.reports import CheckReport, LinkClasses
from hydranoc.families.spam import slots as spam
from hydranoc.families.table_names import TableNames
from hydranoc.families.torus import slots as torus
from hydranoc.families.worm_guards import columns_within_watchdog, complete_within_watchdog
from hydranoc.studies.common.figure import Reproduction
from hydranoc.studies.harts import figures as harts_figures
from hydranoc.studies.hypercube import figures as hypercube_figures
from hydranoc.studies.min import figures as min_figures
from hydranoc.studies.spam import figures as spam_figures
from hydranoc.studies.torus import figures as torus_figures
from sim_model.common.message_columns import MessageColumns
from sim_model.common.messages import Message
from sim_model.common.software import BINOMIAL, software_multicasts
from topology.common.channel_order import NoOrder


def _no_software(_network: Any) -> tuple[str, ...]:
    return ()


def _binomial_sends(_network: Any, records: Iterable[Message], _name: str, _seed: int) -> Sequence[Message]:
    return software_multicasts(records, BINOMIAL)


def _no_table_names(_routing: Any) -> None:
    return None


def _no_operations(_section: Any) -> Mapping[str, int]:
    return {}


def _no_evidence(_section: Any, _routing: Any) -> dict[str, Any]:
    raise NoOrder("the family has no theorem for certificates")


def _came_once(variants: np.ndarray) -> np.ndarray:
    return np.full(len(variants), -1)


@dataclass(frozen=True, kw_only=True)
class Family:
    """A router family.

    Members
    -------
    name : str
        As it stands in configurations.
    title : str
        For people, with the paper.
    network_section : type
        What ``network`` may say for this family.
    build_routing : callable
        (network section, network) -> the family's tables. Raises TopologyError.
    check : callable
        (network section, tables) -> CheckReport.
    evidence : callable
        (network section, tables) -> what a certificate shows besides digests, see ``hydranoc/certificates``; by default
        it raises NoOrder, as all do for networks that may deadlock.
    build_model : callable
        (network section, tables) -> golden model.
    build_plan : callable
        (network section, tables) -> hardware plan for ``rtl.common.network``.
    link_classes : callable
        (tables) -> LinkClasses for pictures.
    software_names : callable
        (network of the tables) -> names that ``traffic.software`` may have besides those of
        ``sim_model/common/software.py``; by default none.
    software_sends : callable
        (network of the tables, records, name, seed) -> unicasts that send the records by this software, a group for
        each; by default the binomial chain, whatever its name. Raises MessageError with the number of the record.
    operations : callable
        (network section) -> names that ``algorithm`` of a message may have, and their numbers as ``Message.operation``;
        by default none.
    complete : callable
        (network section, tables, Message) -> Message as the network takes it. Raises ValueError ("X must be Y, not Z").
    complete_columns : callable
        (network section, tables, MessageColumns) -> MessageColumns with all that ``complete`` makes of each; None if
        it refuses one of them, or is to be asked for each.
    came_over : callable
        (variants of recorded heads, int array) -> input ports over which they came to the switches that they leave, in
        families in which a message comes to a switch several times; by default -1 for all: it comes there once.
    reproductions : mapping
        Figures and tables of the paper by name.
    first : FirstConfiguration
        What ``hydranoc init`` proposes.
    table_names : callable
        (tables) -> TableNames for table files; by default None, for routers that look nothing up.
    """

    name: str
    title: str
    network_section: type[NetworkSection]
    build_routing: Callable[[Any, Any], Any]
    check: Callable[[Any, Any], CheckReport]
    evidence: Callable[[Any, Any], dict[str, Any]] = _no_evidence
    build_model: Callable[[Any, Any], Any]
    build_plan: Callable[[Any, Any], Any]
    link_classes: Callable[[Any], LinkClasses]
    software_names: Callable[[Any], tuple[str, ...]] = _no_software
    software_sends: Callable[[Any, Iterable[Message], str, int], Sequence[Message]] = _binomial_sends
    operations: Callable[[Any], Mapping[str, int]] = _no_operations
    complete: Callable[[Any, Any, Any], Any]
    complete_columns: Callable[[Any, Any, Any], MessageColumns | None]
    came_over: Callable[[np.ndarray], np.ndarray] = _came_once
    reproductions: Mapping[str, Reproduction]
    first: FirstConfiguration
    table_names: Callable[[Any], TableNames | None] = _no_table_names


OWN_FAMILIES: dict[str, Family] = {
    "spam": Family(
        name="spam",
        title="SPAM: tree multicast in irregular networks (Libeskind-Hadas et al., 1998)",
        network_section=spam.SpamSection,
        build_routing=spam.build_routing,
        check=spam.check,
        evidence=spam.evidence,
        build_model=spam.build_model,
        build_plan=spam.build_plan,
        link_classes=spam.link_classes,
        table_names=spam.table_names,
        complete=complete_within_watchdog,
        complete_columns=columns_within_watchdog,
        reproductions=spam_figures.REPRODUCTIONS,
        first=FirstConfiguration(
            topology={"kind": "mesh", "shape": [4, 4]},
            multicast={"multicast_fraction": 0.1, "destinations": 4},
        ),
    ),
    "min": Family(
        name="min",
        title="MIN: asynchronous tree multicast in multistage networks (Varavithya and Mohapatra)",
        network_section=multistage.MinSection,
        build_routing=multistage.build_routing,
        check=multistage.check,
        evidence=multistage.evidence,
        build_model=multistage.build_model,
        build_plan=multistage.build_plan,
        link_classes=multistage.link_classes,
        table_names=multistage.table_names,
        software_names=multistage.software_names,
        complete=complete_within_watchdog,
        complete_columns=columns_within_watchdog,
        reproductions=min_figures.REPRODUCTIONS,
        first=FirstConfiguration(
            topology={"kind": "bi-butterfly", "radix": 2, "stages": 4},
            multicast={"multicast_fraction": 0.1, "destinations": 4},
        ),
    ),
    "harts": Family(
        name="harts",
        title="HARTS: broadcasts in wrapped hexagonal meshes (Kandlur and Shin, 1991)",
        network_section=harts.HartsSection,
        build_routing=harts.build_routing,
        check=harts.check,
        evidence=harts.evidence,
        build_model=harts.build_model,
        build_plan=harts.build_plan,
        link_classes=harts.link_classes,
        operations=harts.operations,
        complete=harts.complete,
        complete_columns=complete_columns,
        came_over=harts.came_over,
        reproductions=harts_figures.REPRODUCTIONS,
        first=FirstConfiguration(
            topology={"kind": "hexmesh", "size": 3},
            multicast={"multicast_fraction": 0.05, "algorithm": "6-bcast"},
        ),
    ),
    "torus": Family(
        name="torus",
        title="Torus: multi-node multicast in tori and meshes by network partitioning",
        network_section=torus.TorusSection,
        build_routing=torus.build_routing,
        check=torus.check,
        evidence=torus.evidence,
        build_model=torus.build_model,
        build_plan=torus.build_plan,
        link_classes=torus.link_classes,
        software_names=torus.software_names,
        software_sends=torus.software_sends,
        complete=complete_unicast,
        complete_columns=unicast_columns,
        reproductions=torus_figures.REPRODUCTIONS,
        first=FirstConfiguration(
            topology={"kind": "torus", "rows": 4, "columns": 4},
            multicast={"multicast_fraction": 0.1, "destinations": 4, "software": "u-torus"},
        ),
    ),
    "hypercube": Family(
        name="hypercube",
        title="Hypercube: broadcasts over adaptive wormhole routing with virtual channels",
        network_section=hypercube.HypercubeSection,
        build_routing=hypercube.build_routing,
        check=hypercube.check,
        evidence=hypercube.evidence,
        build_model=hypercube.build_model,
        build_plan=hypercube.build_plan,
        link_classes=hypercube.link_classes,
        software_names=hypercube.software_names,
        software_sends=hypercube.software_sends,
        complete=complete_unicast,
        complete_columns=unicast_columns,
        reproductions=hypercube_figures.REPRODUCTIONS,
        first=FirstConfiguration(
            topology={"kind": "hypercube", "dimensions": 4},
            multicast={"broadcast_fraction": 0.05, "software": "recursive-doubling"},
        ),
    ),
}

FAMILIES: Mapping[str, Family] = extensions.WithAdded(OWN_FAMILIES, extensions.FAMILIES, Family)
"""Those of the project, and those that packages add."""
