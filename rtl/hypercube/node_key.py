"""Routing key of a message in a hypercube."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part


class NodeKey(Part):
    """Key of a message to a node: the node's number, for every sender. All numbers are nodes. Wires alone.

    Members:
        destination (In(dimensions)): A node's number.
        key (Out(dimensions)): Its routing key.
        exists (Out(1)): Always high.
    """

    def __init__(self, dimensions: int):
        super().__init__("node_key", {"destination": In(dimensions), "key": Out(dimensions), "exists": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += [self.key.eq(self.destination), self.exists.eq(1)]
        return m
