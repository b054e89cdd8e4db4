"""Faults of ``RegisterBlock``, and of the parts around it."""

from tests.proofs.common.register_block_claims import OTHERS
from tests.proofs.faults import Fault

BLOCK = "registers/register_block.py"
AROUND = "registers/interrupts.py"
PORT = "registers/axi_lite.py"
ACCESS = "register-access"
EVERY_KIND, INTERRUPTS, TIMER = "register-block-every-kind", "interrupts-3", "settling-timer-6"

REGISTER_FAULTS = (
    Fault(
        EVERY_KIND,
        "a read of a register returns its value",
        BLOCK,
        "bits[WORD_BITS * word :]",
        "bits[WORD_BITS * (word & 1) :]",
    ),
    Fault(
        EVERY_KIND,
        "a read finds exactly the readable registers",
        BLOCK,
        "here = self.read_address[bits:] ==",
        "here = -1 !=",
    ),
    Fault(
        EVERY_KIND,
        "a read finds exactly the readable registers",
        BLOCK,
        "sum(1 << word for word in words)",
        "-1",
    ),
    Fault(
        EVERY_KIND,
        "a read without a register returns 0",
        BLOCK,
        "Mux(present, getattr(self, name), 0)",
        "getattr(self, name)",
    ),
    Fault(
        EVERY_KIND,
        "a number is looked up by its place",
        BLOCK,
        "index.eq(self.read_address[:bits])",
        "index.eq(self.read_address[: bits - 1])",
    ),
    Fault(
        EVERY_KIND,
        "a write finds exactly the writable registers",
        BLOCK,
        "self.write_found.eq(either(found))",
        "self.write_found.eq(1)",
    ),
    Fault(
        EVERY_KIND,
        "a register has the value last written to it, at first that of the map",
        BLOCK,
        "Out(bits, init=register.value)",
        "Out(bits)",
    ),
    Fault(EVERY_KIND, OTHERS, BLOCK, "with m.If(written):", "with m.If(self.write):"),
    Fault(
        EVERY_KIND,
        OTHERS,
        BLOCK,
        "Mux(written[word], self.write_data, 0)",
        "Mux(written, self.write_data, 0)",
    ),
    Fault(
        EVERY_KIND,
        "a write to a mask clears the bits that are 1 in it",
        BLOCK,
        "Mux(written[word], self.write_data, 0)",
        "written[word].replicate(32)",
    ),
    Fault(
        EVERY_KIND,
        "any write to a number that can be cleared clears it",
        BLOCK,
        'f"{name}_clear").eq(written)',
        'f"{name}_clear").eq(written & self.write_data.any())',
    ),
    Fault(
        EVERY_KIND,
        "a command comes in the cycle of its write, with its data",
        BLOCK,
        'f"{name}_written").eq(written)',
        'f"{name}_written").eq(written & bits.any())',
    ),
    Fault(
        ACCESS,
        "a read is answered with the value of its register, or 0 and SLVERR",
        PORT,
        "refused.eq(~self.read_found)",
        "refused.eq(0)",
    ),
    Fault(
        ACCESS,
        "a write is answered OKAY if a register took the whole word, SLVERR if not",
        PORT,
        "~(whole & self.write_found)",
        "~whole",
    ),
    Fault(
        ACCESS,
        "a register holds the last whole word that was accepted for it",
        PORT,
        "self.write.eq(accepted & whole)",
        "self.write.eq(accepted)",
    ),
    Fault(
        ACCESS,
        "clears and commands need an accepted whole word",
        PORT,
        "self.write.eq(accepted & whole)",
        "self.write.eq(whole)",
    ),
    Fault(
        INTERRUPTS,
        "pending marks the masks that had a bit set one cycle ago",
        AROUND,
        "getattr(self, name).any()",
        "getattr(self, name)[0]",
    ),
    Fault(INTERRUPTS, "a bit without a mask is never pending", AROUND, "[Const(0) for", "[Const(1) for"),
    Fault(
        INTERRUPTS,
        "the interrupt is the or of what was pending and enabled one cycle ago",
        AROUND,
        "(self.pending & self.enable).any()",
        "self.pending.any()",
    ),
    Fault(
        TIMER,
        "sums are exact if nothing happens now or did in so many cycles before",
        AROUND,
        "self.busy.any(), self.cycles,",
        "self.busy.any(), self.cycles - 1,",
    ),
)
