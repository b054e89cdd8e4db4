"""A bench in plain Verilog around an exported network: one multicast, checked word by word at every node."""

import re
from typing import Any

LICENSE_LINE = "// SPDX-License-Identifier: Apache-2.0"
AXIS_CLOCK = "  reg axis_clk = 1'b0;             // of all nodes\n  always #7 axis_clk = ~axis_clk;"
_BUS = {name: name for name in ("awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bvalid")}
_BUS |= {"wstrb": "4'hf", "bready": "1'b1"}
SOURCE, FIRST_WORD, MAX_WORDS, MAX_DESTINATIONS = 0, 16, 4, 3
_BENCH = """\
{license}
// Node {source} sends a packet to {whom}; every node is checked. Meant for changes.
// Numbers of words are integers, whatever the width of a word:
// verilator lint_off WIDTH
`timescale 1ns / 1ps

module noc_bench;
  localparam NODES = {nodes};
  localparam OUTPUTS = {outputs};             // ports at which packets arrive
  localparam WORD_BITS = {word_bits};
  localparam TID_BITS = {tid_bits};
  localparam WORDS = {words};               // of the packet
  localparam LEADING = {leading};             // words before them that name the destinations
  localparam MAX_CYCLES = 200000;
  localparam [NODES-1:0] DESTINATIONS = {nodes}'h{destinations:x};

  reg clk = 1'b0;
  reg rst = 1'b1;
  reg [WORD_BITS-1:0] s_tdata = 0;
  reg s_tvalid = 1'b0;
  reg s_tlast = 1'b0;
{declarations}
  wire s_tready, s_error;
  wire [OUTPUTS*WORD_BITS-1:0] m_tdata;
  wire [OUTPUTS-1:0] m_tvalid, m_tlast;
  wire [OUTPUTS*TID_BITS-1:0] m_tid;

  // ports are driven and sampled at falling edges, half a cycle from where the network samples them
  always #5 clk = ~clk;
{axis_clock}
  wire [(LEADING+1)*WORD_BITS+NODES-1:0] leading_words = {{{{((LEADING+1)*WORD_BITS){{1'b0}}}}, DESTINATIONS}};

  noc network (
{connections}
  );

  // word of the packet, cut to the width of a word
  function [WORD_BITS-1:0] word_of(input integer index);
    word_of = {first_word} + index;
  endfunction

  task send(input integer tdest{tuser_input});
    integer word;
    begin
      s_tdest = tdest[{last_tdest_bit}:0];
{set_tuser}      for (word = -LEADING; word < WORDS; word = word + 1) begin
        s_tdata = word_of(word);
        if (word < 0) s_tdata = leading_words >> ((word + LEADING) * WORD_BITS);
        s_tlast = word == WORDS - 1;
        s_tvalid = 1'b1;
        while (s_tready !== 1'b1) @(negedge axis_clk);
        @(negedge axis_clk);
      end
      s_tvalid = 1'b0;
    end
  endtask

  // node at each output
  function integer node_of(input integer output_port);
    case (output_port)
{node_cases}
      default: node_of = 0;
    endcase
  endfunction

  integer received [0:NODES-1];   // packets
  integer position [0:OUTPUTS-1]; // of the next word
  integer port, node, missing;
  reg failed = 1'b0;

  initial for (port = 0; port < OUTPUTS; port = port + 1) position[port] = 0;
  initial for (node = 0; node < NODES; node = node + 1) received[node] = 0;

  always @(negedge axis_clk)
    if (!rst) begin
      if (s_error) begin
        $display("FAIL: a packet is unroutable");
        failed = 1'b1;
      end
      for (port = 0; port < OUTPUTS; port = port + 1)
        if (m_tvalid[port]) begin
          if (m_tdata[port*WORD_BITS +: WORD_BITS] !== word_of(position[port])
              || m_tid[port*TID_BITS +: TID_BITS] !== {source}
              || m_tlast[port] !== (position[port] == WORDS - 1)) begin
            $display("FAIL: a wrong word at node %0d", node_of(port));
            failed = 1'b1;
          end
          position[port] = m_tlast[port] ? 0 : position[port] + 1;
          if (m_tlast[port]) received[node_of(port)] = received[node_of(port)] + 1;
        end
    end

  task count_missing;
    integer i;
    begin
      missing = 0;
      for (i = 0; i < NODES; i = i + 1) if (received[i] < (DESTINATIONS[i] ? 1 : 0)) missing = missing + 1;
    end
  endtask

  integer cycles = 0;
  integer number;
{tables}
  initial begin
{load_tables}    repeat (8) @(negedge clk);
    rst = 1'b0;
{load_registers}    repeat (32) @(negedge axis_clk);
{sends}
    count_missing;
    while (missing != 0 && cycles < MAX_CYCLES) begin
      @(negedge clk);
      cycles = cycles + 1;
      count_missing;
    end
    repeat (100) @(negedge clk);    // for unexpected packets
    for (number = 0; number < NODES; number = number + 1)
      if (received[number] != (DESTINATIONS[number] ? 1 : 0)) begin
        $display("FAIL: node %0d got %0d packets", number, received[number]);
        failed = 1'b1;
      end
    if (!failed)
      $display("PASS: a packet of %0d words arrived everywhere, %0d cycles after its last was sent", WORDS, cycles);
    $finish;
  end
endmodule
"""
_TABLES = """\
  reg [{last_bit}:0] table_words [0:{last_word}];
  reg [{last_bit}:0] tables_data = 0;
  reg tables_load = 1'b0;
"""
_LOAD_TABLES = """\
    $readmemh("noc/{file}", table_words);
    @(negedge clk);
    tables_load = 1'b1;
    for (number = 0; number < {words}; number = number + 1) begin
      tables_data = table_words[number];
      @(negedge clk);
    end
    tables_load = 1'b0;
"""
_WRITE = """\

  reg [{last_address_bit}:0] awaddr = 0;
  reg [31:0] wdata = 0;
  reg awvalid = 1'b0;
  reg wvalid = 1'b0;
  wire awready, wready, bvalid;

  // of a register
  task write(input integer address, input [31:0] data);
    begin
      awaddr = address;
      wdata = data;
      awvalid = 1'b1;
      wvalid = 1'b1;
      while (awvalid || wvalid) begin : taking
        reg aw_taken, w_taken;
        aw_taken = awready;
        w_taken = wready;
        @(negedge clk);
        if (aw_taken) awvalid = 1'b0;
        if (w_taken) wvalid = 1'b0;
      end
      while (bvalid !== 1'b1) @(negedge clk);
      @(negedge clk);
    end
  endtask
"""
_LOAD_BY_REGISTERS = """\
    $readmemh("noc/{file}", table_words);
    @(negedge clk);
    write({control}, 1);
    for (number = 0; number < {words}; number = number + 1) write({data}, table_words[number]);
"""


def plain_bench(manifest: dict[str, Any]) -> str:
    """Return a bench in Verilog-2005, from the manifest of a network with AXI4-Stream ports on its own clock.

    Parameters:
        manifest: Content of ``manifest.json``.
    """
    stream, nodes = manifest["axi_stream"], len(manifest["nodes"])
    others = [node for node in range(nodes) if node != SOURCE]
    broadcasts = "operations" in stream
    destinations = others if broadcasts else others[:MAX_DESTINATIONS]
    outputs, tuser_bits, tables = stream["outputs"], stream["tuser_bits"], manifest.get("tables")
    registers, own_clock = manifest.get("registers"), stream["clocks"][0] != "clk"
    addresses = {entry["name"]: entry["address"] for entry in registers["registers"]} if registers else {}
    inputs = [f"  reg [{stream['tdest_bits'] - 1}:0] s_tdest = 0;"]
    inputs += [f"  reg [{tuser_bits - 1}:0] s_tuser = 0;"] if tuser_bits else []
    return _BENCH.format(
        license=LICENSE_LINE,
        source=SOURCE,
        whom="all others" if broadcasts else f"node{'s' * (len(destinations) > 1)} {', '.join(map(str, destinations))}",
        nodes=nodes,
        outputs=len(outputs),
        word_bits=stream["tdata_bits"],
        tid_bits=stream["tid_bits"],
        words=min(MAX_WORDS, manifest["parameters"].get("packet_flits", MAX_WORDS + 1) - 1),
        destinations=sum(1 << node for node in destinations),
        declarations="\n".join(inputs),
        connections=",\n".join(f"      .{port['name']}({_wire(port, stream)})" for port in manifest["ports"]),
        tuser_input=f", input [{tuser_bits - 1}:0] tuser" if tuser_bits else "",
        last_tdest_bit=stream["tdest_bits"] - 1,
        set_tuser="      s_tuser = tuser;\n" if tuser_bits else "",
        first_word=FIRST_WORD,
        leading=stream["leading_words"],
        axis_clock=AXIS_CLOCK if own_clock else "  wire axis_clk = clk;",
        node_cases="\n".join(f"      {i}: node_of = {_node_of(port)};" for i, port in enumerate(outputs)),
        tables=_tables(tables, registers),
        load_tables=_LOAD_TABLES.format(**tables) if tables and not registers else "",
        load_registers=_load_registers(tables, addresses) if registers else "",
        sends="\n".join(f"    {send};" for send in _sends(stream, destinations)),
    )


def _tables(tables: dict[str, Any] | None, registers: dict[str, Any] | None) -> str:
    """Return the declarations of the table loader and of the register writer."""
    lines = ""
    if tables:
        lines = _TABLES.format(last_bit=tables["word_bits"] - 1, last_word=tables["words"] - 1)
        lines = lines if not registers else lines.splitlines()[0] + "\n"
    return lines + (_WRITE.format(last_address_bit=registers["address_bits"] - 1) if registers else "")


def _load_registers(tables: dict[str, Any] | None, addresses: dict[str, int]) -> str:
    """Return the statements that load the tables and end the network's reset."""
    data, control = addresses.get("TABLES_DATA"), addresses["CONTROL"]
    load = _LOAD_BY_REGISTERS.format(**tables, control=control, data=data) if tables else "    @(negedge clk);\n"
    return f"{load}    write({control}, 0);\n"


def _sends(stream: dict[str, Any], destinations: list[int]) -> list[str]:
    """Return the calls of the sending task."""
    bits = stream["tuser_bits"]
    if not bits:
        return [f"send({node})" for node in destinations]
    if "operations" in stream:
        algorithm = "sbcast" if stream["reception"] is None else "6-bcast"
        return [f"send(0, {bits}'d{stream['operations'][algorithm]})"]
    if stream["leading_words"]:
        return ["send(0, 1'b1)"]
    return [f"send(0, {bits}'h{sum(1 << node for node in destinations):x})"]


def _wire(port: dict[str, Any], stream: dict[str, Any]) -> str:
    """Return the connection of a port of the network; empty for outputs that the bench does not read."""
    name, sender = port["name"], stream["inputs"][SOURCE]
    if name in ("clk", "rst", "tables_load", "tables_data"):
        return name
    if name in stream["clocks"]:
        return "axis_clk"
    if name.startswith("s_axil_"):
        return _BUS.get(name.removeprefix("s_axil_"), "" if port["direction"] == "output" else f"{port['bits']}'d0")
    end, _, field = name.rpartition("_")
    if end == sender and field != "tkeep" and (field != "tuser" or stream["tuser_bits"]):
        return f"s_{field}"
    if end in stream["outputs"] and field in ("tdata", "tvalid", "tlast", "tid"):
        index = stream["outputs"].index(end)
        bits = {"tdata": "WORD_BITS", "tid": "TID_BITS"}.get(field)
        return f"m_{field}[{index}*{bits} +: {bits}]" if bits else f"m_{field}[{index}]"
    if port["direction"] == "output":
        return ""
    if field == "tkeep":
        return f"{{{port['bits']}{{1'b1}}}}"
    return f"{port['bits']}'d{int(field == 'tready')}"


def _node_of(port: str) -> int:
    found = re.match(r"[sm]_axis_n(\d+)", port)
    if found is None:
        raise ValueError(f"Port is {port!r}; it must be one of a node")
    return int(found[1])
