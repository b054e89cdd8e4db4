"""HydraNoC from Python: load a configuration, prove it sound, simulate it, write its Verilog."""

from pathlib import Path

from hydranoc import load

design = load(Path(__file__).parent / "demo.yaml")
print(design.check().deadlock.reason)
outcome = design.simulate()
print(outcome.summary())
slowest = outcome.results.latency_cycles.argmax()
print("slowest:", slowest, "from", design.messages.source[slowest], "to", design.messages.destinations_of(slowest))
print(f"{len(design.verilog().files['noc.v']):,} bytes of Verilog")
