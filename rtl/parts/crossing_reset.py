"""Reset of a memory between two clocks, by the reset of one of them.

No side may compare pointers from before and after a reset. A reset is therefore a handshake:

1. ``rst`` closes the network's side at once and the user's side two or three of its cycles later.
2. ``asked`` changes. The user's side then clears its registers in one cycle, and answers with ``answered``.
3. The network's side clears its own, and if ``rst`` is low again, both sides open: the network's first.

From any initial values ``asked`` and ``answered`` become equal, so these registers need no reset. Only changes of
single bits cross, each a cycle after the state that it reports has become stable.
"""

from typing import Any

from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.lib.cdc import FFSynchronizer


class CrossingReset(Elaboratable):
    """Clears and opens both sides. Its clock domains are ``network`` and ``user``; no reset touches its registers.

    Both sides are open 6 cycles of the network and 8 of the user after ``rst`` has become low, or before.

    Members:
        rst (Signal(1)): Input, domain ``network``: the network's synchronous reset.
        network_open, user_open (Signal(1)): Transfers are enabled, each in its domain. Registers.
        network_clear, user_clear (Signal(1)): High for one cycle in which registers are cleared, each in its domain.
            Never while a side is open.
    """

    def __init__(self):
        self.rst = Signal()
        self.network_open = Signal(reset_less=True)
        self.network_clear = Signal()
        self.user_open = Signal()
        self.user_clear = Signal()

    def elaborate(self, _platform):
        m: Any = Module()
        pending = Signal(init=1, reset_less=True)
        names = ("asked", "asked_seen", "cleared", "answered", "answered_seen", "settled")
        asked, asked_seen, cleared, answered, answered_seen, settled = (
            Signal(name=name, reset_less=True) for name in names
        )
        answers = Signal()
        m.submodules.asked_synchronizer = FFSynchronizer(asked, asked_seen, o_domain="user")
        m.submodules.answered_synchronizer = FFSynchronizer(answered, answered_seen, o_domain="network")
        opened = self._opened(m, pending, settled)
        m.submodules.open_synchronizer = FFSynchronizer(opened, self.user_open, o_domain="user")
        m.d.comb += [answers.eq(asked == answered_seen), self.network_clear.eq(answers & ~settled)]
        m.d.network += [pending.eq(self.rst | pending & ~answers), settled.eq(answers & ~pending)]
        with m.If(pending & answers):
            m.d.network += asked.eq(~asked)
        m.d.comb += self.user_clear.eq(asked_seen != cleared)
        m.d.user += [cleared.eq(asked_seen), answered.eq(cleared)]
        return m

    def _opened(self, m, pending, settled) -> Signal:
        """Return whether the crossing is open: a cycle after the value for the other side has settled."""
        still = Signal(reset_less=True)
        m.d.network += [still.eq(settled & ~pending & ~self.rst), self.network_open.eq(still & ~self.rst)]
        return self.network_open
