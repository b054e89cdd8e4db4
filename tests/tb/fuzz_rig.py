"""A router in a simulator with all its links on a few wide ports, for ``tb.common.fuzz`` to break its rules."""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from amaranth.back import verilog
from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from tb.common.fuzz.job import JOB_VARIABLE, FuzzJob

BENCH = "tb.common.fuzz.bench"
TOP = "rig"


class Rig(wiring.Component):
    """A router with its side inputs tied.

    drive_valid, drive_payload, drive_ready: Of all inputs side by side, and of all outputs.
    seen: ``ready`` of all inputs, ``valid`` of all outputs, ``payload`` of all outputs.
    """

    def __init__(self, router: Any, tied: Mapping[str, int], looped: Mapping[str, str]):
        self.router, self.tied, self.looped = router, tied, looped
        inputs, outputs = len(router.inputs), len(router.outputs)
        width = len(Value.cast(router.inputs[0].payload))
        super().__init__(
            {
                "drive_valid": In(inputs),
                "drive_payload": In(inputs * width),
                "drive_ready": In(outputs),
                "seen": Out(inputs + outputs * (width + 1)),
            }
        )

    def elaborate(self, _platform):
        m: Any = Module()
        m.submodules.router = router = self.router
        for i, link in enumerate(router.inputs):
            payload = Value.cast(link.payload)
            m.d.comb += [
                link.valid.eq(self.drive_valid[i]),
                payload.eq(self.drive_payload.word_select(i, len(payload))),
            ]
        for o, link in enumerate(router.outputs):
            m.d.comb += link.ready.eq(self.drive_ready[o])
        for name, value in self.tied.items():
            m.d.comb += getattr(router, name).eq(value)
        for name, output in self.looped.items():
            m.d.comb += getattr(router, name).eq(getattr(router, output))
        ready = [link.ready for link in router.inputs]
        outputs = [link.valid for link in router.outputs] + [Value.cast(link.payload) for link in router.outputs]
        m.d.comb += self.seen.eq(Cat(*ready, *outputs))
        return m


def run_fuzz(make_rig: Callable[[], Rig], job: FuzzJob, simulator: str, folder: Path) -> str:
    """The failure as text, or an empty string."""
    source = BenchSource(
        TOP,
        verilog.convert(make_rig(), name=TOP),
        ("clk", "rst", "drive_valid", "drive_payload", "drive_ready"),
        ("seen",),
    )
    built = build_simulator(source, simulator, waves=False)
    result, path = folder / "result.txt", folder / "job.pickle"
    path.write_bytes(pickle.dumps(replace(job, result=str(result))))
    run_bench(built, BENCH, {JOB_VARIABLE: str(path)}, folder)
    return result.read_text()
