"""A manager of the user's own in a bench: an example in Verilog to start from, and the network with it."""

from collections.abc import Sequence
from typing import Any

from hydranoc.benches.plain_verilog import LICENSE_LINE

_MANAGER = """\
{license}
// Manager of processor {processor}, an example: it writes a word, reads it back and ends. Meant for changes.
`timescale 1ns / 1ps

module manager_n{processor} (
{ports},
  output reg done,    // the test ends
  output reg failed
);
  // attributes of all transactions: beats as wide as the bus, in order of their addresses
{constants}

  // an example of a manager
  localparam [{last_address_bit}:0] ADDRESS = {address_bits}'h{address:x};
  localparam [{last_data_bit}:0] WORD = {{{words}{{32'hc0ffee00}}}};
  localparam [2:0] IDLE = 0, WRITE = 1, ANSWER = 2, READ = 3, DATA = 4, END = 5;
  reg [2:0] state;
  reg aw_sent, w_sent;

  assign m_axi_awaddr = ADDRESS;
  assign m_axi_awlen = 8'd0;
  assign m_axi_araddr = ADDRESS;
  assign m_axi_arlen = 8'd0;
  assign m_axi_wdata = WORD;
  assign m_axi_wstrb = {{{strobes}{{1'b1}}}};
  assign m_axi_wlast = 1'b1;
  assign m_axi_awvalid = state == WRITE && !aw_sent;
  assign m_axi_wvalid = state == WRITE && !w_sent;
  assign m_axi_bready = state == ANSWER;
  assign m_axi_arvalid = state == READ;
  assign m_axi_rready = state == DATA;

  always @(posedge clk) begin
    if (m_axi_awvalid && m_axi_awready) aw_sent <= 1'b1;
    if (m_axi_wvalid && m_axi_wready) w_sent <= 1'b1;
    case (state)
      IDLE: state <= WRITE;
      WRITE: if (aw_sent && w_sent) state <= ANSWER;
      ANSWER: if (m_axi_bvalid) begin
        failed <= m_axi_bresp != 2'd0;
        state <= READ;
      end
      READ: if (m_axi_arready) state <= DATA;
      DATA: if (m_axi_rvalid) begin
        failed <= failed || m_axi_rresp != 2'd0 || m_axi_rdata != WORD;
        state <= END;
      end
      default: done <= 1'b1;
    endcase
    if (rst) begin
      state <= IDLE;
      aw_sent <= 1'b0;
      w_sent <= 1'b0;
      done <= 1'b0;
      failed <= 1'b0;
    end
  end
endmodule
"""
_SYSTEM = """\
{license}
// The network with managers of the user's own. All other ports are the network's.
`timescale 1ns / 1ps

module system (
{ports}
);
{wires}
  noc network (
{connections}
  );
{managers}endmodule
"""
_INSTANCE = """\
  manager_n{processor} manager_n{processor} (
{connections}
  );
"""
_CONSTANTS = {"burst": "2'd1", "lock": "1'b0", "cache": "4'd0", "prot": "3'd0", "qos": "4'd0"}
_ZEROS = ("awid", "awuser", "wuser", "arid", "aruser")
"""Absent in ports of width 0."""
OUT, IN = "output", "input"


def own_manager_files(manifest: dict[str, Any], processors: Sequence[int]) -> dict[str, str]:
    """Return names and texts of the files: a module ``manager_n{i}`` of each processor, and ``system``.

    Parameters:
        manifest: Of a network with AXI4 ends.
        processors: Those with a manager of the user's own. Another processor than each of them has a region.
    """
    files = {f"manager_n{processor}.v": _manager(manifest, processor) for processor in processors}
    return {**files, "system.v": _system(manifest, processors)}


def _ports_of(manifest: dict[str, Any], processor: int) -> dict[str, tuple[str, int]]:
    """Return the AXI4 ports of a manager without prefix, with direction and width as seen from the manager."""
    prefix = f"{manifest['axi4']['managers'][processor]}_"
    return {
        port["name"].removeprefix(prefix): (IN if port["direction"] == OUT else OUT, port["bits"])
        for port in manifest["ports"]
        if port["name"].startswith(prefix)
    }


def _manager(manifest: dict[str, Any], processor: int) -> str:
    axi4, ports = manifest["axi4"], _ports_of(manifest, processor)
    region = next(area for area in axi4["regions"] if area["processor"] != processor)
    size, strobes = (axi4["data_bits"] // 8).bit_length() - 1, axi4["data_bits"] // 8
    constants = {**_CONSTANTS, "size": f"3'd{size}"}
    zeros = {name: f"{bits}'d0" for name, (flow, bits) in ports.items() if flow == OUT and name in _ZEROS}
    fixed = {f"{channel}{name}": value for channel in ("aw", "ar") for name, value in constants.items()}
    clock = [_declared(IN, 1, name) for name in ("clk", "rst")]
    return _MANAGER.format(
        license=LICENSE_LINE,
        processor=processor,
        ports=",\n".join([*clock, *(_declared(flow, bits, f"m_axi_{name}") for name, (flow, bits) in ports.items())]),
        last_address_bit=axi4["address_bits"] - 1,
        address_bits=axi4["address_bits"],
        address=region["base"] + region["size"] - strobes,
        last_data_bit=axi4["data_bits"] - 1,
        words=axi4["data_bits"] // 32,
        strobes=strobes,
        constants="\n".join(f"  assign m_axi_{name} = {value};" for name, value in {**zeros, **fixed}.items()),
    )


def _system(manifest: dict[str, Any], processors: Sequence[int]) -> str:
    own = tuple(f"{manifest['axi4']['managers'][processor]}_" for processor in processors)
    outside = [port for port in manifest["ports"] if not port["name"].startswith(own)]
    inside = [port for port in manifest["ports"] if port["name"].startswith(own)]
    results = [f"n{processor}_{name}" for processor in processors for name in ("done", "failed")]
    ports = [_declared(port["direction"], port["bits"], port["name"]) for port in outside]
    ports += [_declared(OUT, 1, name) for name in results]
    return _SYSTEM.format(
        license=LICENSE_LINE,
        ports=",\n".join(ports),
        wires="\n".join(f"{_declared('wire', port['bits'], port['name'])};" for port in inside),
        connections=_connections({port["name"]: port["name"] for port in manifest["ports"]}),
        managers="".join(_instance(manifest, processor) for processor in processors),
    )


def _instance(manifest: dict[str, Any], processor: int) -> str:
    prefix = manifest["axi4"]["managers"][processor]
    wires = {"clk": "clk", "rst": "rst"}
    wires |= {f"m_axi_{name}": f"{prefix}_{name}" for name in _ports_of(manifest, processor)}
    wires |= {name: f"n{processor}_{name}" for name in ("done", "failed")}
    return _INSTANCE.format(processor=processor, connections=_connections(wires))


def _connections(wires: dict[str, str]) -> str:
    return ",\n".join(f"      .{port}({wire})" for port, wire in wires.items())


def _declared(kind: str, bits: int, name: str) -> str:
    return f"  {kind} [{bits - 1}:0] {name}" if bits > 1 else f"  {kind} {name}"
