"""Tori and meshes with virtual channels: the family's record."""

from hydranoc.config.first import FirstConfiguration
from hydranoc.families.family import Family, OwnReproductions
from hydranoc.families.lanes import complete_unicast, unicast_columns
from hydranoc.families.torus import slots

FAMILY = Family(
    name="torus",
    title="Torus: multi-node multicast in tori and meshes by network partitioning",
    network_section=slots.TorusSection,
    build_routing=slots.build_routing,
    check=slots.check,
    evidence=slots.evidence,
    build_model=slots.build_model,
    build_plan=slots.build_plan,
    link_classes=slots.link_classes,
    software_names=slots.software_names,
    software_sends=slots.software_sends,
    complete=complete_unicast,
    complete_columns=unicast_columns,
    reproductions=OwnReproductions("torus"),
    first=FirstConfiguration(
        topology={"kind": "torus", "rows": 4, "columns": 4},
        multicast={"multicast_fraction": 0.1, "destinations": 4, "software": "u-torus"},
    ),
)
