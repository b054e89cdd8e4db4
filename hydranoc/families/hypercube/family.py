"""Hypercubes with adaptive routing: the family's record."""

from hydranoc.config.first import FirstConfiguration
from hydranoc.families.family import Family, OwnReproductions
from hydranoc.families.hypercube import slots
from hydranoc.families.lanes import complete_unicast, unicast_columns

FAMILY = Family(
    name="hypercube",
    title="Hypercube: broadcasts over adaptive wormhole routing with virtual channels",
    network_section=slots.HypercubeSection,
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
    reproductions=OwnReproductions("hypercube"),
    first=FirstConfiguration(
        topology={"kind": "hypercube", "dimensions": 4},
        multicast={"broadcast_fraction": 0.05, "software": "recursive-doubling"},
    ),
)
