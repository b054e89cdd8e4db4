"""The SystemVerilog module with arrays of ports, without registers and with: every port once, in its place, and packets
and accesses to registers through it."""

import re
import subprocess
from pathlib import Path

import pytest

from hydranoc import load
from rtl.endpoints.port_arrays import port_arrays
from rtl.generator.network import GeneratedDesign

NETWORK = Path(__file__).parents[2] / "examples" / "axi_stream" / "network.yaml"
BENCH = """
`timescale 1ns/1ps
module bench;
  logic clk = 0, rst = 1;
  logic [3:0][31:0] sdata, mdata;
  logic [3:0] svalid = 0, sready, slast = 0, serror, mvalid, mlast, muser, seen = 0;
  logic [3:0][1:0] sdest = 0, mid;
  logic [3:0][3:0] suser = 0;
  integer node;
  always #5 clk = ~clk;
  noc_arrays dut(.clk(clk), .rst(rst), .s_axis_tdata(sdata), .s_axis_tvalid(svalid), .s_axis_tready(sready),
    .s_axis_tlast(slast), .s_axis_tdest(sdest), .s_axis_tuser(suser), .s_axis_error(serror), .m_axis_tdata(mdata),
    .m_axis_tvalid(mvalid), .m_axis_tready(4'b1111), .m_axis_tlast(mlast), .m_axis_tid(mid), .m_axis_tuser(muser),
`ifdef REGISTERS
    .s_axil_awaddr(address), .s_axil_awvalid(writes), .s_axil_awready(taken), .s_axil_wdata(32'h1), .s_axil_wstrb(4'hf),
    .s_axil_wvalid(writes), .s_axil_wready(), .s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
    .s_axil_araddr(address), .s_axil_arvalid(reads), .s_axil_arready(), .s_axil_rdata(value), .s_axil_rresp(),
    .s_axil_rvalid(read), .s_axil_rready(1'b1), .irq(irq),
`endif
    .moved());
`ifdef REGISTERS
  localparam ID = 0, ENABLE = 'h1c, UNROUTABLE = 'h40;
  logic [6:0] address;
  logic writes = 0, reads = 0, taken, read, irq;
  logic [31:0] value;
  task reads_as(input integer place, input [31:0] expected);
    address = place; reads = 1;
    while (read !== 1) @(negedge clk);
    reads = 0;
    if (value !== expected) $display("FAIL: %h reads as %h", place, value);
    @(negedge clk);
  endtask
  task write_one(input integer place);
    address = place; writes = 1;
    while (taken !== 1) @(negedge clk);
    @(negedge clk); writes = 0;
    @(negedge clk);
  endtask
`endif
  always @(negedge clk)
    for (node = 0; node < 4; node = node + 1)
      if (!rst && mvalid[node]) begin
        if (mdata[node] == 32'hcafe && mid[node] == 2 && muser[node] && mlast[node] && !seen[node]) seen[node] = 1;
        else $display("FAIL: node %0d", node);
      end
  initial begin
    repeat (8) @(negedge clk);
    rst = 0; suser[2] = 4'b1010; sdata[2] = 32'hcafe; slast[2] = 1; svalid[2] = 1;
    while (sready[2] !== 1) @(negedge clk);
    @(negedge clk); svalid[2] = 0;
    repeat (100) @(negedge clk);
`ifdef REGISTERS
    reads_as(ID, 32'h484e4f43);
    write_one(ENABLE);
    reads_as(ENABLE, 1);
    reads_as(UNROUTABLE, 0);
    if (irq !== 0) $display("FAIL: interrupt");
`endif
    if (seen == 4'b1010) $display("PASS");
    $finish;
  end
endmodule
"""


@pytest.fixture(scope="module", params=[False, True], ids=["ports", "registers"])
def generated(request) -> GeneratedDesign:
    return load(NETWORK).verilog("noc", "tuser", arrays=True, registers=request.param)


def has_registers(generated: GeneratedDesign) -> bool:
    return "registers" in generated.manifest


@pytest.fixture
def folder(generated, tmp_path):
    for name, text in generated.files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_every_port_is_connected_once(generated):
    connected = re.findall(r"^      \.(\w+)\(", generated.files["noc_arrays.sv"], re.MULTILINE)
    assert connected == [port["name"] for port in generated.manifest["ports"]]
    assert "      .s_axis_n3_tuser(s_axis_tuser[3])," in generated.files["noc_arrays.sv"]
    assert "  input  logic [3:0][31:0] s_axis_tdata," in generated.files["noc_arrays.sv"]
    assert "  output logic [3:0] m_axis_tvalid," in generated.files["noc_arrays.sv"]
    if has_registers(generated):
        assert "      .s_axil_wstrb(s_axil_wstrb)," in generated.files["noc_arrays.sv"]
        assert "  input  logic [31:0] s_axil_wdata," in generated.files["noc_arrays.sv"]
        assert "  output logic irq" in generated.files["noc_arrays.sv"]


def test_manifest_and_core_name_it(generated):
    assert generated.manifest["files"][-1] == "noc_arrays.sv"
    assert generated.manifest["port_arrays"] == {"module": "noc_arrays", "file": "noc_arrays.sv"}
    assert "      - noc_arrays.sv\n" in generated.files["noc.core"]


def test_without_the_option_nothing_changes(generated):
    plain = load(NETWORK).verilog("noc", "tuser", registers=has_registers(generated))
    assert plain.files["noc.v"] == generated.files["noc.v"]
    assert "arrays" not in plain.files["noc.core"] + plain.files["manifest.json"]


def test_packets_and_accesses_go_through_it(generated, folder, require_tool):
    require_tool("icarus")
    (folder / "bench.sv").write_text(BENCH)
    define = "-DREGISTERS " * has_registers(generated)
    command = f"iverilog -g2012 {define}-s bench -o bench.vvp noc.v noc_arrays.sv bench.sv && vvp -n bench.vvp"
    answer = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["PASS"] or "PASS" in answer.stdout.splitlines()
    assert "FAIL" not in answer.stdout


def test_verilator_finds_nothing_to_complain_of(folder, require_tool):
    tool = require_tool("verilator")
    arguments = ["--lint-only", "-Wall", "--top-module", "noc_arrays", "noc.v", "noc_arrays.sv"]
    answer = subprocess.run([*tool.command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


def test_channels_and_clocks_of_nodes_have_their_places():
    ports = [
        *({"name": f"s_axis_n{n}_c{c}_tvalid", "direction": "input", "bits": 1} for n in (0, 1) for c in (0, 1)),
        *({"name": f"m_axis_n{n}_tvalid", "direction": "output", "bits": 1} for n in (0, 1)),
        *({"name": f"axis_n{n}_clk", "direction": "input", "bits": 1} for n in (0, 1)),
    ]
    stream = {"inputs": [f"s_axis_n{n}_c{c}" for n in (0, 1) for c in (0, 1)], "outputs": ["m_axis_n0", "m_axis_n1"]}
    text = port_arrays({"top": "noc", "ports": ports, "nodes": [0, 1], "axi_stream": stream})
    assert (
        "// The ports of noc as arrays: s_axis s_axis_n0_c0, s_axis_n0_c1, s_axis_n1_c0, s_axis_n1_c1; m_axis " in text
    )
    assert ".s_axis_n1_c0_tvalid(s_axis_tvalid[2])" in text
    assert ".axis_n1_clk(axis_clk[1])" in text
    assert "  input  logic [3:0] s_axis_tvalid," in text
