"""Base of the AXI4-Stream injectors: ports, and the routing key of a packet."""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Const, Value
from amaranth.lib.wiring import In, Member, Out

from rtl.generator.plan import Addressing, UnicastAddressing
from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import table_row
from topology.common.flits import HeaderFormat, bits_for


class StreamInjector(Part):
    """Ports of an injector, and the ways to a key.

    Parameters:
        name: Of the module.
        header: Header format of the network.
        addressing
        sides (mapping of str to Member): Further ports of the AXI4-Stream.

    Members:
        node (In): Number of this node, a constant.
        node_fields (In): The header's fields after the key, a constant. Absent if the key is the only field.
        tdata, tvalid, tready, tlast, tdest: The AXI4-Stream.
        error (Out(1)): High for one cycle when a packet begins to be drained. A register.
        link (Out(link_signature)): The injection channel; ``valid`` and ``payload`` are registers.
    """

    def __init__(
        self,
        name: str,
        header: HeaderFormat,
        addressing: Addressing | UnicastAddressing,
        sides: Mapping[str, Member] | None = None,
    ):
        self.header = header
        self.addressing = addressing
        node_bits, field_bits = bits_for(len(addressing.unicast_keys)), header.fixed_bits - header.fields[0][1]
        super().__init__(
            name,
            {
                "node": In(node_bits),
                **({"node_fields": In(field_bits)} if field_bits else {}),
                "tdata": In(header.flit_bits),
                "tvalid": In(1),
                "tready": Out(1),
                "tlast": In(1),
                "tdest": In(node_bits),
                **(sides or {}),
                "error": Out(1),
                "link": Out(link_signature(header.flit_bits)),
            },
        )

    @property
    def _node_fields(self) -> Value:
        return Value.cast(getattr(self, "node_fields", Const(0, 0)))

    def _find_key(self, m: Any, platform: Any) -> tuple[Any, Any]:
        """Return the key of a message to ``tdest`` alone, and whether that node exists."""
        if isinstance(self.addressing, Addressing):
            return self._look_up_key(m)
        finder = self._place_finder(m, platform)
        m.d.comb += finder.destination.eq(self.tdest)
        return finder.key, finder.exists

    def _look_up_key(self, m: Any) -> tuple[Any, Any]:
        """Return the same by a table."""
        key_bits = self.header.fields[0][1]
        table = sum((key << 1 | 1) << (key_bits + 1) * i for i, key in enumerate(self.addressing.unicast_keys))
        rows = Const(table, (key_bits + 1) << len(self.tdest))
        row = table_row(m, rows, self.tdest, key_bits + 1, "unicast")
        return row[1:], row[0]

    def _place_finder(self, m: Any, platform: Any) -> Any:
        """Return the part that computes keys, with this node as the sender."""
        part = self.addressing.key()
        finder = instantiate(m, platform, "key_finder", part)
        if "node" in part.signature.members:
            m.d.comb += finder.node.eq(self.node)
        return finder
