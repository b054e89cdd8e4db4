# (specimens of parts only provide their ports)
"""Bus of the channel counters at a network's top, for plans with counters."""

from typing import Any

from amaranth.lib.wiring import In, Out

from rtl.generator.channel_counters import ChannelCounters
from rtl.generator.fabric import Fabric
from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import SharedModule, Structure
from topology.common.counter_bus import COUNT_BITS, COUNTED, KIND_BITS, READ_CYCLES, settling_cycles
from topology.common.flits import bits_for

PREFIX = "counters_"
INPUTS = ("enable", "clear", "address")


def counter_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of a top: ``counters_enable`` and others, see ``ChannelCounters``."""
    if not plan.counters:
        return {}
    address_bits = KIND_BITS + bits_for(len(plan.network.channels))
    return {
        f"{PREFIX}enable": In(1),
        f"{PREFIX}clear": In(1),
        f"{PREFIX}address": In(address_bits),
        f"{PREFIX}data": Out(COUNT_BITS),
    }


def connect_counters(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add the counters of all channels to a top, if the plan has counters."""
    if not plan.counters:
        return
    channels = len(plan.network.channels)
    counters = structure.instance("channel_counters", SharedModule(lambda: ChannelCounters(channels)))
    for name in ("valid", "ready", "tail"):
        counters.connect(name, getattr(fabric, name))
    for name in INPUTS:
        counters.connect(name, structure.ports[f"{PREFIX}{name}"])
    structure.outputs[f"{PREFIX}data"] = counters.output("data")


def counter_manifest(plan: NetworkPlan) -> dict[str, Any]:
    """Return the manifest entries about reading the counters."""
    if not plan.counters:
        return {}
    return {
        "counters": {
            "address": "4 * channel + kind",
            "kinds": list(COUNTED),
            "bits": COUNT_BITS,
            "read_cycles": READ_CYCLES,
            "settling_cycles": settling_cycles(len(plan.network.channels)),
        }
    }
