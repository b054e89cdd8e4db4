"""Faults of ``AxiLitePort``."""

from tests.proofs.faults import Fault

FILE = "registers/axi_lite.py"
PROOF = "axi-lite-port-2"

AXI_LITE_FAULTS = (
    Fault(
        PROOF,
        "the answer to a write holds until it is taken",
        FILE,
        "with m.Elif(self.bready):",
        "with m.Else():",
    ),
    Fault(PROOF, "the answer to a read holds until it is taken", FILE, "with m.Elif(self.rready):", "with m.Else():"),
    Fault(
        PROOF,
        "address and data are accepted together",
        FILE,
        "self.wready.eq(accepted)",
        "self.wready.eq(accepted & ~self.wdata[0])",
    ),
    Fault(
        PROOF,
        "no write is accepted that is not on offer",
        FILE,
        "self.awvalid & self.wvalid & ~accepted",
        "self.awvalid & ~accepted",
    ),
    Fault(
        PROOF,
        "a write on offer is accepted in the next cycle if no answer waits",
        FILE,
        "~accepted & ~self.bvalid",
        "~accepted & ~self.bvalid & self.bready",
    ),
    Fault(
        PROOF,
        "exactly whole words are written, when they are accepted",
        FILE,
        "self.write.eq(accepted & whole)",
        "self.write.eq(accepted)",
    ),
    Fault(
        PROOF,
        "the data written is the data offered",
        FILE,
        "self.write_data.eq(self.wdata)",
        "self.write_data.eq(self.wdata & -2)",
    ),
    Fault(
        PROOF,
        "an answer to a write is on offer exactly if one is owed",
        FILE,
        "m.d.sync += [self.bvalid.eq(1), refused",
        "m.d.sync += [self.bvalid.eq(whole), refused",
    ),
    Fault(
        PROOF,
        "no write is accepted while the answer to another is owed",
        FILE,
        "~accepted & ~self.bvalid",
        "~accepted",
    ),
    Fault(
        PROOF,
        "OKAY answers writes that took effect, SLVERR all others",
        FILE,
        "~(whole & self.write_found)",
        "~self.write_found",
    ),
    Fault(
        PROOF,
        "no read is accepted that is not on offer",
        FILE,
        "begins = self.arvalid & ~waiting.any()",
        "begins = ~waiting.any()",
    ),
    Fault(
        PROOF,
        "a read is accepted when its address has stood as long as data takes",
        FILE,
        "accepted.eq(waiting[-1])",
        "accepted.eq(waiting[0])",
    ),
    Fault(
        PROOF,
        "an answer to a read is on offer exactly if one is owed",
        FILE,
        "m.d.sync += [self.rvalid.eq(1), self.rdata",
        "m.d.sync += [self.rvalid.eq(self.read_found), self.rdata",
    ),
    Fault(
        PROOF,
        "no read is accepted while the answer to another is owed",
        FILE,
        "~waiting.any() & ~self.rvalid",
        "~waiting.any()",
    ),
    Fault(
        PROOF,
        "a read returns the bus data at its acceptance",
        FILE,
        "self.rdata.eq(self.read_data)",
        "self.rdata.eq(self.read_data & -2)",
    ),
    Fault(
        PROOF,
        "the bus looks at what is read",
        FILE,
        "self.read_address.eq(self.araddr[LOW_BITS:])",
        "self.read_address.eq(self.awaddr[LOW_BITS:])",
    ),
)
