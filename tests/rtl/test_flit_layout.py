"""The hardware's flit and descriptor layouts are those of ``topology.common.flits``, bit for bit."""

import random

import pytest

from rtl.endpoints.harness import message_fields
from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.injector import descriptor_layout
from rtl.spam.network import spam_plan
from tests.networks import ring
from topology.common.flits import FlitFormat, HeaderFormat
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


@pytest.mark.parametrize("flit_bits", [8, 9, 32, 64, 512])
def test_flit(flit_bits):
    layout, flits, numbers = flit_layout(flit_bits), FlitFormat(flit_bits), random.Random(flit_bits)
    assert layout.size == flits.width
    for _ in range(20):
        data, head, tail = numbers.getrandbits(flit_bits), numbers.random() < 0.5, numbers.random() < 0.5
        packed = layout.const({"data": data, "head": head, "tail": tail}).as_value().value
        assert packed == flits.pack(data=data, head=head, tail=tail)
        view = layout.from_bits(packed)
        assert (view.data, bool(view.head), bool(view.tail)) == flits.unpack(packed)


def test_link_carries_flits():
    assert link_signature(16).members["payload"].shape == flit_layout(16)


def test_descriptor_holds_whole_header_flits():
    header = HeaderFormat((("lca", 5), ("source", 4)), 30, 16)
    fields = {name: (field.offset, field.width) for name, field in descriptor_layout(header)}
    assert fields == {"header": (0, 48), "header_flits": (48, 2), "flits": (50, 16)}


def test_harness_message_is_a_descriptor_and_a_seed():
    plan = spam_plan(SpamRouting(SpamLabels(ring(4)), 8))
    assert message_fields(plan) == {
        "header": (0, 16),
        "header_flits": (16, 2),
        "flits": (18, 16),
        "payload_seed": (34, 32),
    }
