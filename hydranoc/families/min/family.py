"""The multistage family: the family's record."""

from hydranoc.config.first import FirstConfiguration
from hydranoc.families.family import Family, OwnReproductions
from hydranoc.families.min import slots
from hydranoc.families.worm_guards import columns_within_watchdog, complete_within_watchdog

FAMILY = Family(
    name="min",
    title="MIN: asynchronous tree multicast in multistage networks (Varavithya and Mohapatra)",
    network_section=slots.MinSection,
    build_routing=slots.build_routing,
    check=slots.check,
    evidence=slots.evidence,
    build_model=slots.build_model,
    build_plan=slots.build_plan,
    link_classes=slots.link_classes,
    table_names=slots.table_names,
    software_names=slots.software_names,
    complete=complete_within_watchdog,
    complete_columns=columns_within_watchdog,
    reproductions=OwnReproductions("min"),
    first=FirstConfiguration(
        topology={"kind": "bi-butterfly", "radix": 2, "stages": 4},
        multicast={"multicast_fraction": 0.1, "destinations": 4},
    ),
)
