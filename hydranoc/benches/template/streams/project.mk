# make verilog   runs noc_bench.v, a bench in plain Verilog

BENCH_verilator := sim_build/bench/Vnoc_bench
BENCH_icarus := vvp -n sim_build/noc_bench.vvp

.PHONY: verilog

verilog: bench-$(SIM)
	$(BENCH_$(SIM)) > sim_build/noc_bench.log
	@cat sim_build/noc_bench.log
	@grep -q '^PASS' sim_build/noc_bench.log

bench-verilator: noc_bench.v noc/noc.v
	mkdir -p sim_build
	verilator --binary --timescale 1ns/1ps --top-module noc_bench -Mdir sim_build/bench $(EXTRA_ARGS) $^

bench-icarus: noc_bench.v noc/noc.v
	mkdir -p sim_build
	iverilog -g2005 -s noc_bench -o sim_build/noc_bench.vvp $^
