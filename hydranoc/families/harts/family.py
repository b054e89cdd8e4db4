"""HARTS: the family's record."""

from hydranoc.config.first import FirstConfiguration
from hydranoc.families.family import Family, OwnReproductions
from hydranoc.families.harts import slots
from hydranoc.families.harts.columns import complete_columns

FAMILY = Family(
    name="harts",
    title="HARTS: broadcasts in wrapped hexagonal meshes (Kandlur and Shin, 1991)",
    network_section=slots.HartsSection,
    build_routing=slots.build_routing,
    check=slots.check,
    evidence=slots.evidence,
    build_model=slots.build_model,
    build_plan=slots.build_plan,
    link_classes=slots.link_classes,
    operations=slots.operations,
    complete=slots.complete,
    complete_columns=complete_columns,
    came_over=slots.came_over,
    reproductions=OwnReproductions("harts"),
    first=FirstConfiguration(
        topology={"kind": "hexmesh", "size": 3},
        multicast={"multicast_fraction": 0.05, "algorithm": "6-bcast"},
    ),
)
