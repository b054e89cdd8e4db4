"""The one list of router families and what each of them has to bring."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hydranoc import min as multistage
from hydranoc import min_figures, spam, spam_figures
from hydranoc.config.schema import NetworkSection
from hydranoc.family import CheckReport, LinkClasses, Reproduction


@dataclass(frozen=True)
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
    build_model : callable
        (network section, tables) -> golden model.
    build_plan : callable
        (network section, tables) -> hardware plan for ``rtl.common.network``.
    link_classes : callable
        (tables) -> LinkClasses for pictures.
    software_names : callable
        (network) -> names that ``traffic.software`` may have for the common chain of unicasts.
    reproductions : mapping
        Figures and tables of the paper by name.
    """

    name: str
    title: str
    network_section: type[NetworkSection]
    build_routing: Callable[[Any, Any], Any]
    check: Callable[[Any, Any], CheckReport]
    build_model: Callable[[Any, Any], Any]
    build_plan: Callable[[Any, Any], Any]
    link_classes: Callable[[Any], LinkClasses]
    software_names: Callable[[Any], tuple[str, ...]]
    reproductions: Mapping[str, Reproduction]


FAMILIES: dict[str, Family] = {
    "spam": Family(
        name="spam",
        title="SPAM: tree multicast in irregular networks (Libeskind-Hadas et al., 1998)",
        network_section=spam.SpamSection,
        build_routing=spam.build_routing,
        check=spam.check,
        build_model=spam.build_model,
        build_plan=spam.build_plan,
        link_classes=spam.link_classes,
        software_names=lambda _network: ("binomial",),
        reproductions=spam_figures.REPRODUCTIONS,
    ),
    "min": Family(
        name="min",
        title="MIN: asynchronous tree multicast in multistage networks (Varavithya and Mohapatra)",
        network_section=multistage.MinSection,
        build_routing=multistage.build_routing,
        check=multistage.check,
        build_model=multistage.build_model,
        build_plan=multistage.build_plan,
        link_classes=multistage.link_classes,
        software_names=multistage.software_names,
        reproductions=min_figures.REPRODUCTIONS,
    ),
}
