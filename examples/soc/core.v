// A PicoRV32 with a memory of 64 KiB: its own at address 0, everything else through the network.
//
// The memory is the AXI4 subordinate of this processor, so other cores write programs and flags into it. A core whose
// RELEASED is 0 rests until its word at RELEASE is written. Addresses from 0x10000 on: the core's number, and a copier,
// which sends words of the own memory as one burst. It starts when its number of words is written, and that write
// lasts until the answer.
module core #(
  parameter [31:0] NUMBER = 0,
  parameter RELEASED = 0,
  parameter IMAGE = ""
) (
  input clk,
  input rst,
  // manager: to port s_axi of the network
  output reg [31:0] s_awaddr, output reg [7:0] s_awlen, output reg s_awvalid, input s_awready,
  output [31:0] s_wdata, output reg [3:0] s_wstrb, output s_wlast, output reg s_wvalid, input s_wready,
  input [1:0] s_bresp, input s_bvalid, output s_bready,
  output reg [31:0] s_araddr, output reg s_arvalid, input s_arready,
  input [31:0] s_rdata, input [1:0] s_rresp, input s_rvalid, output s_rready,
  // subordinate: from port m_axi of the network
  input [31:0] m_awaddr, input [7:0] m_awlen, input m_awvalid, output m_awready,
  input [31:0] m_wdata, input [3:0] m_wstrb, input m_wlast, input m_wvalid, output m_wready,
  output reg m_bvalid, input m_bready,
  input [31:0] m_araddr, input [7:0] m_arlen, input m_arvalid, output m_arready,
  output reg [31:0] m_rdata, output reg m_rlast, output reg m_rvalid, input m_rready,
  output trap,
  output reg bus_error
);
  localparam RELEASE = 14'h3fff;  // the last word
  localparam NUMBER_ADDRESS = 32'h0001_0000, SOURCE = 32'h0001_0004, TARGET = 32'h0001_0008, WORDS = 32'h0001_000c;

  reg [31:0] memory [0:16383];
  initial if (IMAGE != "") $readmemh(IMAGE, memory);

  // ---- core
  wire mem_valid;
  wire [31:0] mem_addr, mem_wdata;
  wire [3:0] mem_wstrb;
  reg mem_ready;
  reg [31:0] mem_rdata;
  reg released;

  picorv32 #(.ENABLE_COUNTERS64(0), .STACKADDR(32'h0000_f000), .BARREL_SHIFTER(1)) cpu (
    .clk(clk), .resetn(!rst && released), .trap(trap),
    .mem_valid(mem_valid), .mem_ready(mem_ready), .mem_addr(mem_addr), .mem_wdata(mem_wdata),
    .mem_wstrb(mem_wstrb), .mem_rdata(mem_rdata),
    .pcpi_wr(1'b0), .pcpi_rd(32'b0), .pcpi_wait(1'b0), .pcpi_ready(1'b0), .irq(32'b0)
  );

  wire own = mem_addr < 32'h0001_0000;
  wire start = mem_valid && !mem_ready;
  reg remote;  // an access is under way in the network
  reg [31:0] word, target;
  reg [13:0] copied;
  reg [7:0] more;  // beats after this one
  reg copies;
  assign s_wlast = more == 0;
  assign s_wdata = copies ? memory[copied] : word;
  assign s_bready = 1;
  assign s_rready = 1;

  always @(posedge clk) begin
    mem_ready <= 0;
    if (start && own) begin
      mem_ready <= 1;
      mem_rdata <= memory[mem_addr[15:2]];
    end else if (start && mem_addr == NUMBER_ADDRESS) begin
      mem_ready <= 1;
      mem_rdata <= NUMBER;
    end else if (start && mem_addr == SOURCE) begin
      mem_ready <= 1;
      copied <= mem_wdata[15:2];
    end else if (start && mem_addr == TARGET) begin
      mem_ready <= 1;
      target <= mem_wdata;
    end else if (start && !remote) begin
      remote <= 1;
      copies <= mem_addr == WORDS;
      {s_awlen, more} <= mem_addr == WORDS ? {2{mem_wdata[7:0] - 8'd1}} : 16'd0;
      s_awaddr <= mem_addr == WORDS ? target : mem_addr;
      {word, s_wstrb, s_araddr} <= {mem_wdata, mem_wstrb, mem_addr};
      {s_awvalid, s_wvalid, s_arvalid} <= |mem_wstrb ? 3'b110 : 3'b001;
    end
    if (s_awready && s_awvalid) s_awvalid <= 0;
    if (s_wready && s_wvalid) begin
      s_wvalid <= more != 0;
      if (more != 0) more <= more - 1;
      copied <= copied + 1;
    end
    if (s_arready && s_arvalid) s_arvalid <= 0;
    if (remote && (s_bvalid || s_rvalid)) begin
      remote <= 0;
      mem_ready <= 1;
      mem_rdata <= s_rdata;
      if (s_bvalid ? |s_bresp : |s_rresp) bus_error <= 1;
    end
    if (rst) {more, mem_ready, remote, s_awvalid, s_wvalid, s_arvalid, bus_error} <= 0;
  end

  // ---- memory: the core's own writes, and a burst from the network at a time
  reg writing, reading;
  reg [13:0] place, read_place;
  reg [7:0] left;
  assign m_awready = !writing && !m_bvalid;
  assign m_wready = writing;
  assign m_arready = !reading;

  integer lane;
  always @(posedge clk) begin
    for (lane = 0; lane < 4; lane = lane + 1) begin
      if (start && own && mem_wstrb[lane]) memory[mem_addr[15:2]][8*lane +: 8] <= mem_wdata[8*lane +: 8];
      if (m_wvalid && m_wready && m_wstrb[lane]) memory[place][8*lane +: 8] <= m_wdata[8*lane +: 8];
    end
    if (m_awvalid && m_awready) begin
      writing <= 1;
      place <= m_awaddr[15:2];
    end
    if (m_wvalid && m_wready) begin
      place <= place + 1;
      if (place == RELEASE) released <= 1;
      if (m_wlast) {writing, m_bvalid} <= 2'b01;
    end
    if (m_bvalid && m_bready) m_bvalid <= 0;
    if (m_arvalid && m_arready) begin
      reading <= 1;
      read_place <= m_araddr[15:2];
      left <= m_arlen;
    end
    if (reading && (!m_rvalid || m_rready)) begin
      m_rvalid <= !(m_rvalid && m_rlast);
      m_rdata <= memory[read_place];
      m_rlast <= left == 0;
      read_place <= read_place + 1;
      left <= left - 1;
      if (m_rvalid && m_rlast) reading <= 0;
    end
    if (rst) begin
      {writing, reading, m_bvalid, m_rvalid, m_rlast} <= 0;
      released <= RELEASED;
    end
  end
endmodule
