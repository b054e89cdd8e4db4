// Four cores on a network that multicasts writes. The serial line prints what is written to it.
`timescale 1ns / 1ps
module soc;
  reg clk = 0, rst = 1;
  always #5 clk = !clk;
  initial begin
    repeat (8) @(negedge clk);
    rst = 0;
    repeat (2_000_000) @(negedge clk);
    $display("FAIL: no end");
    $finish;
  end

  wire [31:0] s0_awaddr, s0_wdata, s0_araddr, s0_rdata;
  wire s0_wlast, s0_awvalid, s0_awready, s0_wvalid, s0_wready, s0_bvalid, s0_bready, s0_arvalid, s0_arready, s0_rvalid,
    s0_rready;
  wire [3:0] s0_wstrb;
  wire [1:0] s0_bresp, s0_rresp;
  wire [31:0] m0_awaddr, m0_wdata, m0_araddr, m0_rdata;
  wire [7:0] s0_awlen, m0_awlen, m0_arlen;
  wire m0_awvalid, m0_awready, m0_wlast, m0_wvalid, m0_wready, m0_bvalid, m0_bready, m0_arvalid, m0_arready,
    m0_rlast, m0_rvalid, m0_rready;
  wire [3:0] m0_wstrb;
  wire [31:0] s2_awaddr, s2_wdata, s2_araddr, s2_rdata;
  wire s2_wlast, s2_awvalid, s2_awready, s2_wvalid, s2_wready, s2_bvalid, s2_bready, s2_arvalid, s2_arready, s2_rvalid,
    s2_rready;
  wire [3:0] s2_wstrb;
  wire [1:0] s2_bresp, s2_rresp;
  wire [31:0] m2_awaddr, m2_wdata, m2_araddr, m2_rdata;
  wire [7:0] s2_awlen, m2_awlen, m2_arlen;
  wire m2_awvalid, m2_awready, m2_wlast, m2_wvalid, m2_wready, m2_bvalid, m2_bready, m2_arvalid, m2_arready,
    m2_rlast, m2_rvalid, m2_rready;
  wire [3:0] m2_wstrb;
  wire [31:0] s6_awaddr, s6_wdata, s6_araddr, s6_rdata;
  wire s6_wlast, s6_awvalid, s6_awready, s6_wvalid, s6_wready, s6_bvalid, s6_bready, s6_arvalid, s6_arready, s6_rvalid,
    s6_rready;
  wire [3:0] s6_wstrb;
  wire [1:0] s6_bresp, s6_rresp;
  wire [31:0] m6_awaddr, m6_wdata, m6_araddr, m6_rdata;
  wire [7:0] s6_awlen, m6_awlen, m6_arlen;
  wire m6_awvalid, m6_awready, m6_wlast, m6_wvalid, m6_wready, m6_bvalid, m6_bready, m6_arvalid, m6_arready,
    m6_rlast, m6_rvalid, m6_rready;
  wire [3:0] m6_wstrb;
  wire [31:0] s8_awaddr, s8_wdata, s8_araddr, s8_rdata;
  wire s8_wlast, s8_awvalid, s8_awready, s8_wvalid, s8_wready, s8_bvalid, s8_bready, s8_arvalid, s8_arready, s8_rvalid,
    s8_rready;
  wire [3:0] s8_wstrb;
  wire [1:0] s8_bresp, s8_rresp;
  wire [31:0] m8_awaddr, m8_wdata, m8_araddr, m8_rdata;
  wire [7:0] s8_awlen, m8_awlen, m8_arlen;
  wire m8_awvalid, m8_awready, m8_wlast, m8_wvalid, m8_wready, m8_bvalid, m8_bready, m8_arvalid, m8_arready,
    m8_rlast, m8_rvalid, m8_rready;
  wire [3:0] m8_wstrb;
  wire [31:0] wdata;
  wire wvalid;
  reg bvalid, rvalid, taken;
  wire awvalid, arvalid, bready, rready;
  wire [3:0] trap, bus_error;

  core #(.NUMBER(0), .RELEASED(1), .IMAGE("firmware.hex")) core0 (
    .clk(clk), .rst(rst), .trap(trap[0]), .bus_error(bus_error[0]),
    .s_awaddr(s0_awaddr), .s_awlen(s0_awlen), .s_wlast(s0_wlast), .s_awvalid(s0_awvalid),
    .s_awready(s0_awready), .s_wdata(s0_wdata),
    .s_wstrb(s0_wstrb), .s_wvalid(s0_wvalid), .s_wready(s0_wready), .s_bresp(s0_bresp), .s_bvalid(s0_bvalid),
    .s_bready(s0_bready), .s_araddr(s0_araddr), .s_arvalid(s0_arvalid), .s_arready(s0_arready),
    .s_rdata(s0_rdata), .s_rresp(s0_rresp), .s_rvalid(s0_rvalid), .s_rready(s0_rready), .m_awaddr(m0_awaddr),
    .m_awlen(m0_awlen), .m_awvalid(m0_awvalid), .m_awready(m0_awready), .m_wdata(m0_wdata),
    .m_wstrb(m0_wstrb), .m_wlast(m0_wlast), .m_wvalid(m0_wvalid), .m_wready(m0_wready), .m_bvalid(m0_bvalid),
    .m_bready(m0_bready), .m_araddr(m0_araddr), .m_arlen(m0_arlen), .m_arvalid(m0_arvalid),
    .m_arready(m0_arready), .m_rdata(m0_rdata), .m_rlast(m0_rlast), .m_rvalid(m0_rvalid), .m_rready(m0_rready)
  );

  core #(.NUMBER(1)) core1 (
    .clk(clk), .rst(rst), .trap(trap[1]), .bus_error(bus_error[1]),
    .s_awaddr(s2_awaddr), .s_awlen(s2_awlen), .s_wlast(s2_wlast), .s_awvalid(s2_awvalid),
    .s_awready(s2_awready), .s_wdata(s2_wdata),
    .s_wstrb(s2_wstrb), .s_wvalid(s2_wvalid), .s_wready(s2_wready), .s_bresp(s2_bresp), .s_bvalid(s2_bvalid),
    .s_bready(s2_bready), .s_araddr(s2_araddr), .s_arvalid(s2_arvalid), .s_arready(s2_arready),
    .s_rdata(s2_rdata), .s_rresp(s2_rresp), .s_rvalid(s2_rvalid), .s_rready(s2_rready), .m_awaddr(m2_awaddr),
    .m_awlen(m2_awlen), .m_awvalid(m2_awvalid), .m_awready(m2_awready), .m_wdata(m2_wdata),
    .m_wstrb(m2_wstrb), .m_wlast(m2_wlast), .m_wvalid(m2_wvalid), .m_wready(m2_wready), .m_bvalid(m2_bvalid),
    .m_bready(m2_bready), .m_araddr(m2_araddr), .m_arlen(m2_arlen), .m_arvalid(m2_arvalid),
    .m_arready(m2_arready), .m_rdata(m2_rdata), .m_rlast(m2_rlast), .m_rvalid(m2_rvalid), .m_rready(m2_rready)
  );

  core #(.NUMBER(2)) core2 (
    .clk(clk), .rst(rst), .trap(trap[2]), .bus_error(bus_error[2]),
    .s_awaddr(s6_awaddr), .s_awlen(s6_awlen), .s_wlast(s6_wlast), .s_awvalid(s6_awvalid),
    .s_awready(s6_awready), .s_wdata(s6_wdata),
    .s_wstrb(s6_wstrb), .s_wvalid(s6_wvalid), .s_wready(s6_wready), .s_bresp(s6_bresp), .s_bvalid(s6_bvalid),
    .s_bready(s6_bready), .s_araddr(s6_araddr), .s_arvalid(s6_arvalid), .s_arready(s6_arready),
    .s_rdata(s6_rdata), .s_rresp(s6_rresp), .s_rvalid(s6_rvalid), .s_rready(s6_rready), .m_awaddr(m6_awaddr),
    .m_awlen(m6_awlen), .m_awvalid(m6_awvalid), .m_awready(m6_awready), .m_wdata(m6_wdata),
    .m_wstrb(m6_wstrb), .m_wlast(m6_wlast), .m_wvalid(m6_wvalid), .m_wready(m6_wready), .m_bvalid(m6_bvalid),
    .m_bready(m6_bready), .m_araddr(m6_araddr), .m_arlen(m6_arlen), .m_arvalid(m6_arvalid),
    .m_arready(m6_arready), .m_rdata(m6_rdata), .m_rlast(m6_rlast), .m_rvalid(m6_rvalid), .m_rready(m6_rready)
  );

  core #(.NUMBER(3)) core3 (
    .clk(clk), .rst(rst), .trap(trap[3]), .bus_error(bus_error[3]),
    .s_awaddr(s8_awaddr), .s_awlen(s8_awlen), .s_wlast(s8_wlast), .s_awvalid(s8_awvalid),
    .s_awready(s8_awready), .s_wdata(s8_wdata),
    .s_wstrb(s8_wstrb), .s_wvalid(s8_wvalid), .s_wready(s8_wready), .s_bresp(s8_bresp), .s_bvalid(s8_bvalid),
    .s_bready(s8_bready), .s_araddr(s8_araddr), .s_arvalid(s8_arvalid), .s_arready(s8_arready),
    .s_rdata(s8_rdata), .s_rresp(s8_rresp), .s_rvalid(s8_rvalid), .s_rready(s8_rready), .m_awaddr(m8_awaddr),
    .m_awlen(m8_awlen), .m_awvalid(m8_awvalid), .m_awready(m8_awready), .m_wdata(m8_wdata),
    .m_wstrb(m8_wstrb), .m_wlast(m8_wlast), .m_wvalid(m8_wvalid), .m_wready(m8_wready), .m_bvalid(m8_bvalid),
    .m_bready(m8_bready), .m_araddr(m8_araddr), .m_arlen(m8_arlen), .m_arvalid(m8_arvalid),
    .m_arready(m8_arready), .m_rdata(m8_rdata), .m_rlast(m8_rlast), .m_rvalid(m8_rvalid), .m_rready(m8_rready)
  );

  noc network (
    .clk(clk), .rst(rst),
    .s_axi_n0_awaddr(s0_awaddr), .s_axi_n0_awvalid(s0_awvalid), .s_axi_n0_awready(s0_awready),
    .s_axi_n0_wdata(s0_wdata), .s_axi_n0_wstrb(s0_wstrb), .s_axi_n0_wvalid(s0_wvalid),
    .s_axi_n0_wready(s0_wready), .s_axi_n0_bresp(s0_bresp), .s_axi_n0_bvalid(s0_bvalid),
    .s_axi_n0_bready(s0_bready), .s_axi_n0_araddr(s0_araddr), .s_axi_n0_arvalid(s0_arvalid),
    .s_axi_n0_arready(s0_arready), .s_axi_n0_rdata(s0_rdata), .s_axi_n0_rresp(s0_rresp),
    .s_axi_n0_rvalid(s0_rvalid), .s_axi_n0_rready(s0_rready), .s_axi_n0_awlen(s0_awlen), .s_axi_n0_awsize(3'd2),
    .s_axi_n0_awburst(2'd1), .s_axi_n0_awlock(1'b0), .s_axi_n0_awcache(4'd0), .s_axi_n0_awprot(3'd0),
    .s_axi_n0_awqos(4'd0), .s_axi_n0_arlen(8'd0), .s_axi_n0_arsize(3'd2), .s_axi_n0_arburst(2'd1),
    .s_axi_n0_arlock(1'b0), .s_axi_n0_arcache(4'd0), .s_axi_n0_arprot(3'd0), .s_axi_n0_arqos(4'd0),
    .s_axi_n0_wlast(s0_wlast), .s_axi_n0_rlast(), .m_axi_n0_awaddr(m0_awaddr), .m_axi_n0_awlen(m0_awlen),
    .m_axi_n0_awvalid(m0_awvalid), .m_axi_n0_awready(m0_awready), .m_axi_n0_wdata(m0_wdata),
    .m_axi_n0_wstrb(m0_wstrb), .m_axi_n0_wlast(m0_wlast), .m_axi_n0_wvalid(m0_wvalid),
    .m_axi_n0_wready(m0_wready), .m_axi_n0_bvalid(m0_bvalid), .m_axi_n0_bready(m0_bready),
    .m_axi_n0_araddr(m0_araddr), .m_axi_n0_arlen(m0_arlen), .m_axi_n0_arvalid(m0_arvalid),
    .m_axi_n0_arready(m0_arready), .m_axi_n0_rdata(m0_rdata), .m_axi_n0_rlast(m0_rlast),
    .m_axi_n0_rvalid(m0_rvalid), .m_axi_n0_rready(m0_rready), .m_axi_n0_bid(1'b0), .m_axi_n0_bresp(2'd0),
    .m_axi_n0_rid(1'b0), .m_axi_n0_rresp(2'd0), .m_axi_n0_awid(), .m_axi_n0_awsize(), .m_axi_n0_awburst(),
    .m_axi_n0_awlock(), .m_axi_n0_awcache(), .m_axi_n0_awprot(), .m_axi_n0_awqos(), .m_axi_n0_arid(),
    .m_axi_n0_arsize(), .m_axi_n0_arburst(), .m_axi_n0_arlock(), .m_axi_n0_arcache(), .m_axi_n0_arprot(),
    .m_axi_n0_arqos(), .s_axi_n2_awaddr(s2_awaddr), .s_axi_n2_awvalid(s2_awvalid),
    .s_axi_n2_awready(s2_awready), .s_axi_n2_wdata(s2_wdata), .s_axi_n2_wstrb(s2_wstrb),
    .s_axi_n2_wvalid(s2_wvalid), .s_axi_n2_wready(s2_wready), .s_axi_n2_bresp(s2_bresp),
    .s_axi_n2_bvalid(s2_bvalid), .s_axi_n2_bready(s2_bready), .s_axi_n2_araddr(s2_araddr),
    .s_axi_n2_arvalid(s2_arvalid), .s_axi_n2_arready(s2_arready), .s_axi_n2_rdata(s2_rdata),
    .s_axi_n2_rresp(s2_rresp), .s_axi_n2_rvalid(s2_rvalid), .s_axi_n2_rready(s2_rready),
    .s_axi_n2_awlen(s2_awlen),
    .s_axi_n2_awsize(3'd2), .s_axi_n2_awburst(2'd1), .s_axi_n2_awlock(1'b0), .s_axi_n2_awcache(4'd0),
    .s_axi_n2_awprot(3'd0), .s_axi_n2_awqos(4'd0), .s_axi_n2_arlen(8'd0), .s_axi_n2_arsize(3'd2),
    .s_axi_n2_arburst(2'd1), .s_axi_n2_arlock(1'b0), .s_axi_n2_arcache(4'd0), .s_axi_n2_arprot(3'd0),
    .s_axi_n2_arqos(4'd0), .s_axi_n2_wlast(s2_wlast), .s_axi_n2_rlast(), .m_axi_n2_awaddr(m2_awaddr),
    .m_axi_n2_awlen(m2_awlen), .m_axi_n2_awvalid(m2_awvalid), .m_axi_n2_awready(m2_awready),
    .m_axi_n2_wdata(m2_wdata), .m_axi_n2_wstrb(m2_wstrb), .m_axi_n2_wlast(m2_wlast),
    .m_axi_n2_wvalid(m2_wvalid), .m_axi_n2_wready(m2_wready), .m_axi_n2_bvalid(m2_bvalid),
    .m_axi_n2_bready(m2_bready), .m_axi_n2_araddr(m2_araddr), .m_axi_n2_arlen(m2_arlen),
    .m_axi_n2_arvalid(m2_arvalid), .m_axi_n2_arready(m2_arready), .m_axi_n2_rdata(m2_rdata),
    .m_axi_n2_rlast(m2_rlast), .m_axi_n2_rvalid(m2_rvalid), .m_axi_n2_rready(m2_rready), .m_axi_n2_bid(1'b0),
    .m_axi_n2_bresp(2'd0), .m_axi_n2_rid(1'b0), .m_axi_n2_rresp(2'd0), .m_axi_n2_awid(), .m_axi_n2_awsize(),
    .m_axi_n2_awburst(), .m_axi_n2_awlock(), .m_axi_n2_awcache(), .m_axi_n2_awprot(), .m_axi_n2_awqos(),
    .m_axi_n2_arid(), .m_axi_n2_arsize(), .m_axi_n2_arburst(), .m_axi_n2_arlock(), .m_axi_n2_arcache(),
    .m_axi_n2_arprot(), .m_axi_n2_arqos(), .s_axi_n6_awaddr(s6_awaddr), .s_axi_n6_awvalid(s6_awvalid),
    .s_axi_n6_awready(s6_awready), .s_axi_n6_wdata(s6_wdata), .s_axi_n6_wstrb(s6_wstrb),
    .s_axi_n6_wvalid(s6_wvalid), .s_axi_n6_wready(s6_wready), .s_axi_n6_bresp(s6_bresp),
    .s_axi_n6_bvalid(s6_bvalid), .s_axi_n6_bready(s6_bready), .s_axi_n6_araddr(s6_araddr),
    .s_axi_n6_arvalid(s6_arvalid), .s_axi_n6_arready(s6_arready), .s_axi_n6_rdata(s6_rdata),
    .s_axi_n6_rresp(s6_rresp), .s_axi_n6_rvalid(s6_rvalid), .s_axi_n6_rready(s6_rready),
    .s_axi_n6_awlen(s6_awlen),
    .s_axi_n6_awsize(3'd2), .s_axi_n6_awburst(2'd1), .s_axi_n6_awlock(1'b0), .s_axi_n6_awcache(4'd0),
    .s_axi_n6_awprot(3'd0), .s_axi_n6_awqos(4'd0), .s_axi_n6_arlen(8'd0), .s_axi_n6_arsize(3'd2),
    .s_axi_n6_arburst(2'd1), .s_axi_n6_arlock(1'b0), .s_axi_n6_arcache(4'd0), .s_axi_n6_arprot(3'd0),
    .s_axi_n6_arqos(4'd0), .s_axi_n6_wlast(s6_wlast), .s_axi_n6_rlast(), .m_axi_n6_awaddr(m6_awaddr),
    .m_axi_n6_awlen(m6_awlen), .m_axi_n6_awvalid(m6_awvalid), .m_axi_n6_awready(m6_awready),
    .m_axi_n6_wdata(m6_wdata), .m_axi_n6_wstrb(m6_wstrb), .m_axi_n6_wlast(m6_wlast),
    .m_axi_n6_wvalid(m6_wvalid), .m_axi_n6_wready(m6_wready), .m_axi_n6_bvalid(m6_bvalid),
    .m_axi_n6_bready(m6_bready), .m_axi_n6_araddr(m6_araddr), .m_axi_n6_arlen(m6_arlen),
    .m_axi_n6_arvalid(m6_arvalid), .m_axi_n6_arready(m6_arready), .m_axi_n6_rdata(m6_rdata),
    .m_axi_n6_rlast(m6_rlast), .m_axi_n6_rvalid(m6_rvalid), .m_axi_n6_rready(m6_rready), .m_axi_n6_bid(1'b0),
    .m_axi_n6_bresp(2'd0), .m_axi_n6_rid(1'b0), .m_axi_n6_rresp(2'd0), .m_axi_n6_awid(), .m_axi_n6_awsize(),
    .m_axi_n6_awburst(), .m_axi_n6_awlock(), .m_axi_n6_awcache(), .m_axi_n6_awprot(), .m_axi_n6_awqos(),
    .m_axi_n6_arid(), .m_axi_n6_arsize(), .m_axi_n6_arburst(), .m_axi_n6_arlock(), .m_axi_n6_arcache(),
    .m_axi_n6_arprot(), .m_axi_n6_arqos(), .s_axi_n8_awaddr(s8_awaddr), .s_axi_n8_awvalid(s8_awvalid),
    .s_axi_n8_awready(s8_awready), .s_axi_n8_wdata(s8_wdata), .s_axi_n8_wstrb(s8_wstrb),
    .s_axi_n8_wvalid(s8_wvalid), .s_axi_n8_wready(s8_wready), .s_axi_n8_bresp(s8_bresp),
    .s_axi_n8_bvalid(s8_bvalid), .s_axi_n8_bready(s8_bready), .s_axi_n8_araddr(s8_araddr),
    .s_axi_n8_arvalid(s8_arvalid), .s_axi_n8_arready(s8_arready), .s_axi_n8_rdata(s8_rdata),
    .s_axi_n8_rresp(s8_rresp), .s_axi_n8_rvalid(s8_rvalid), .s_axi_n8_rready(s8_rready),
    .s_axi_n8_awlen(s8_awlen),
    .s_axi_n8_awsize(3'd2), .s_axi_n8_awburst(2'd1), .s_axi_n8_awlock(1'b0), .s_axi_n8_awcache(4'd0),
    .s_axi_n8_awprot(3'd0), .s_axi_n8_awqos(4'd0), .s_axi_n8_arlen(8'd0), .s_axi_n8_arsize(3'd2),
    .s_axi_n8_arburst(2'd1), .s_axi_n8_arlock(1'b0), .s_axi_n8_arcache(4'd0), .s_axi_n8_arprot(3'd0),
    .s_axi_n8_arqos(4'd0), .s_axi_n8_wlast(s8_wlast), .s_axi_n8_rlast(), .m_axi_n8_awaddr(m8_awaddr),
    .m_axi_n8_awlen(m8_awlen), .m_axi_n8_awvalid(m8_awvalid), .m_axi_n8_awready(m8_awready),
    .m_axi_n8_wdata(m8_wdata), .m_axi_n8_wstrb(m8_wstrb), .m_axi_n8_wlast(m8_wlast),
    .m_axi_n8_wvalid(m8_wvalid), .m_axi_n8_wready(m8_wready), .m_axi_n8_bvalid(m8_bvalid),
    .m_axi_n8_bready(m8_bready), .m_axi_n8_araddr(m8_araddr), .m_axi_n8_arlen(m8_arlen),
    .m_axi_n8_arvalid(m8_arvalid), .m_axi_n8_arready(m8_arready), .m_axi_n8_rdata(m8_rdata),
    .m_axi_n8_rlast(m8_rlast), .m_axi_n8_rvalid(m8_rvalid), .m_axi_n8_rready(m8_rready), .m_axi_n8_bid(1'b0),
    .m_axi_n8_bresp(2'd0), .m_axi_n8_rid(1'b0), .m_axi_n8_rresp(2'd0), .m_axi_n8_awid(), .m_axi_n8_awsize(),
    .m_axi_n8_awburst(), .m_axi_n8_awlock(), .m_axi_n8_awcache(), .m_axi_n8_awprot(), .m_axi_n8_awqos(),
    .m_axi_n8_arid(), .m_axi_n8_arsize(), .m_axi_n8_arburst(), .m_axi_n8_arlock(), .m_axi_n8_arcache(),
    .m_axi_n8_arprot(), .m_axi_n8_arqos(), .m_axi_n4_awvalid(awvalid), .m_axi_n4_awready(!taken),
    .m_axi_n4_wdata(wdata), .m_axi_n4_wvalid(wvalid), .m_axi_n4_wready(taken && !bvalid),
    .m_axi_n4_bvalid(bvalid), .m_axi_n4_bready(bready), .m_axi_n4_bid(1'b0), .m_axi_n4_bresp(2'd0),
    .m_axi_n4_arvalid(arvalid), .m_axi_n4_arready(!rvalid), .m_axi_n4_rid(1'b0), .m_axi_n4_rdata(32'd0),
    .m_axi_n4_rresp(2'd0), .m_axi_n4_rlast(1'b1), .m_axi_n4_rvalid(rvalid), .m_axi_n4_rready(rready),
    .m_axi_n4_wstrb(), .m_axi_n4_wlast(), .m_axi_n4_awid(), .m_axi_n4_awaddr(), .m_axi_n4_awlen(),
    .m_axi_n4_awsize(), .m_axi_n4_awburst(), .m_axi_n4_awlock(), .m_axi_n4_awcache(), .m_axi_n4_awprot(),
    .m_axi_n4_awqos(), .m_axi_n4_arid(), .m_axi_n4_araddr(), .m_axi_n4_arlen(), .m_axi_n4_arsize(),
    .m_axi_n4_arburst(), .m_axi_n4_arlock(), .m_axi_n4_arcache(), .m_axi_n4_arprot(), .m_axi_n4_arqos()
  );

  // the serial line: a byte per write; 0 ends the run
  always @(posedge clk) begin
    if (awvalid && !taken) taken <= 1;
    if (wvalid && taken && !bvalid) begin
      bvalid <= 1;
      if (wdata[7:0] == 0) $finish;
      else $write("%c", wdata[7:0]);
    end
    if (bvalid && bready) {taken, bvalid} <= 0;
    rvalid <= arvalid && !rvalid || rvalid && !rready;
    if (|trap || |bus_error) begin
      $display("FAIL: trap %b, bus error %b", trap, bus_error);
      $finish;
    end
    if (rst) {taken, bvalid, rvalid} <= 0;
  end
endmodule
