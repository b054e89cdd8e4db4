"""Link with virtual channels: its flits always move, because credits have been counted before."""

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from rtl.parts.flit import flit_layout


def vc_link_signature(flit_bits: int, vcs: int) -> wiring.Signature:
    """Return the signature of a link between two switches, seen from its source.

    ``valid`` has a bit for each virtual channel, of which at most one is high; the flit moves in that cycle. Credits
    return on separate wires.

    Parameters:
        flit_bits: Width of the data field, 8 to 512.
        vcs: Virtual channels of the channel, at least 1.
    """
    return wiring.Signature({"valid": Out(vcs), "payload": Out(flit_layout(flit_bits))})
