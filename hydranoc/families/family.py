"""The parts of a router family as one record, which loads none of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from hydranoc.config.first import FirstConfiguration
    from hydranoc.config.schema import NetworkSection
    from hydranoc.families.reports import CheckReport, LinkClasses
    from hydranoc.families.table_names import TableNames
    from hydranoc.studies.common.figure import Reproduction
    from sim_model.messages.columns import MessageColumns
    from sim_model.messages.messages import Message


def _no_software(_network: Any) -> tuple[str, ...]:
    return ()


def _binomial_sends(_network: Any, records: "Iterable[Message]", _name: str, _seed: int) -> "Sequence[Message]":
    from sim_model.messages.software import BINOMIAL, software_multicasts

    return software_multicasts(records, BINOMIAL)


def _no_table_names(_routing: Any) -> None:
    return None


def _no_operations(_section: Any) -> Mapping[str, int]:
    return {}


def _no_evidence(_section: Any, _routing: Any) -> dict[str, Any]:
    from topology.common.channel_order import NoOrder

    raise NoOrder("the family has no theorem for certificates")


def _came_once(variants: "np.ndarray") -> "np.ndarray":
    import numpy as np

    return np.full(len(variants), -1)


class OwnReproductions(Mapping[str, "Reproduction"]):
    """Figures and tables of a family of the project: ``hydranoc/studies/FAMILY/figures.py``, loaded on first use.

    Parameters
    ----------
    family : str
        Its name.
    """

    def __init__(self, family: str):
        self._family = family

    @property
    def _all(self) -> "Mapping[str, Reproduction]":
        return import_module(f"hydranoc.studies.{self._family}.figures").REPRODUCTIONS

    def __getitem__(self, name: str) -> "Reproduction":
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


@dataclass(frozen=True, kw_only=True)
class Family:
    """A router family.

    Members
    -------
    name : str
        Name in configurations.
    title : str
        Title for display, with the paper.
    network_section : type
        Schema of ``network`` for this family.
    build_routing : callable
        (network section, network) -> the family's tables. Raises TopologyError.
    check : callable
        (network section, tables) -> CheckReport.
    evidence : callable
        (network section, tables) -> content of a certificate besides digests, see ``hydranoc/certificates``; by default
        it raises NoOrder, as all do for networks that may deadlock.
    build_model : callable
        (network section, tables) -> golden model.
    build_plan : callable
        (network section, tables) -> hardware plan for ``rtl.generator.network``.
    link_classes : callable
        (tables) -> LinkClasses for pictures.
    software_names : callable
        (network of the tables) -> names that ``traffic.software`` may have besides those of
        ``sim_model/messages/software.py``; by default none.
    software_sends : callable
        (network of the tables, records, name, seed) -> unicasts that send the records by this software, a group for
        each; by default the binomial chain for any name. Raises MessageError with the number of the record.
    operations : callable
        (network section) -> names that ``algorithm`` of a message may have, and their numbers as ``Message.operation``;
        by default none.
    complete : callable
        (network section, tables, Message) -> Message in the network's form. Raises ValueError ("X must be Y, not Z").
    complete_columns : callable
        (network section, tables, MessageColumns) -> MessageColumns with the result of ``complete`` for each; None if
        it refuses one of them, or must be called for each.
    came_over : callable
        (variants of recorded heads, int array) -> input ports by which they arrived at the switches that they leave, in
        families whose messages visit a switch several times; by default -1 for all: one visit each.
    reproductions : mapping
        Figures and tables of the paper by name.
    first : FirstConfiguration
        First configuration of ``hydranoc init``.
    table_names : callable
        (tables) -> TableNames for table files; by default None, for routers without tables.
    """

    name: str
    title: str
    network_section: "type[NetworkSection]"
    build_routing: Callable[[Any, Any], Any]
    check: "Callable[[Any, Any], CheckReport]"
    evidence: Callable[[Any, Any], dict[str, Any]] = _no_evidence
    build_model: Callable[[Any, Any], Any]
    build_plan: Callable[[Any, Any], Any]
    link_classes: "Callable[[Any], LinkClasses]"
    software_names: Callable[[Any], tuple[str, ...]] = _no_software
    software_sends: "Callable[[Any, Iterable[Message], str, int], Sequence[Message]]" = _binomial_sends
    operations: Callable[[Any], Mapping[str, int]] = _no_operations
    complete: Callable[[Any, Any, Any], Any]
    complete_columns: "Callable[[Any, Any, Any], MessageColumns | None]"
    came_over: "Callable[[np.ndarray], np.ndarray]" = _came_once
    reproductions: "Mapping[str, Reproduction]"
    first: "FirstConfiguration"
    table_names: "Callable[[Any], TableNames | None]" = _no_table_names
