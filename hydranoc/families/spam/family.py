"""SPAM: the family's record."""

from hydranoc.config.first import FirstConfiguration
from hydranoc.families.family import Family, OwnReproductions
from hydranoc.families.spam import slots
from hydranoc.families.worm_guards import columns_within_watchdog, complete_within_watchdog

FAMILY = Family(
    name="spam",
    title="SPAM: tree multicast in irregular networks (Libeskind-Hadas et al., 1998)",
    network_section=slots.SpamSection,
    build_routing=slots.build_routing,
    check=slots.check,
    evidence=slots.evidence,
    build_model=slots.build_model,
    build_plan=slots.build_plan,
    link_classes=slots.link_classes,
    table_names=slots.table_names,
    complete=complete_within_watchdog,
    complete_columns=columns_within_watchdog,
    reproductions=OwnReproductions("spam"),
    first=FirstConfiguration(
        topology={"kind": "mesh", "shape": [4, 4]},
        multicast={"multicast_fraction": 0.1, "destinations": 4},
    ),
)
