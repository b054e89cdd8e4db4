"""Flit layout and link, built from the only definition of field order and widths, ``topology.common.flits``."""

from typing import Any

from amaranth.lib import data, stream

from topology.common.flits import FlitFormat


def flit_layout(flit_bits: int) -> data.StructLayout:
    """Return the layout of one flit: ``data``, ``head``, ``tail``, lowest field first.

    Parameters:
        flit_bits: Width of the data field, 8 to 512.
    """
    return data.StructLayout(dict(FlitFormat(flit_bits).fields))


def stream_of(payload: Any) -> stream.Signature:
    """Return the signature of a stream of any shape, seen from its source."""
    return stream.Signature(payload)


def link_signature(flit_bits: int) -> stream.Signature:
    """Return the signature of a wormhole link, seen from its source: a flit moves when valid and ready are high.

    Parameters:
        flit_bits: Width of the data field, 8 to 512.
    """
    return stream_of(flit_layout(flit_bits))
