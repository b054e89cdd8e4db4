// Two senders and three checkers around a generated network of four nodes.
//
// Node n0 multicasts: its tuser names n1, n2 and n3. Node n3 sends to n1 alone: its tuser is 0 and its tdest is 1.
// So n1 hears both, n2 and n3 hear n0 only.

module top (
    input  wire clk,
    input  wire rst,     // synchronous, active high
    output wire done,    // every checker has got all its packets
    output wire failed   // some checker has seen a wrong word, or some packet was unroutable
);
  localparam PACKETS = 20;
  localparam WORDS = 5;

  wire [31:0] s0_tdata, s3_tdata, m1_tdata, m2_tdata, m3_tdata;
  wire s0_tvalid, s0_tready, s0_tlast, s0_error;
  wire s3_tvalid, s3_tready, s3_tlast, s3_error;
  wire m1_tvalid, m1_tready, m1_tlast;
  wire m2_tvalid, m2_tready, m2_tlast;
  wire m3_tvalid, m3_tready, m3_tlast;
  wire [1:0] m1_tid, m2_tid, m3_tid;      // the sender
  wire m1_tuser, m2_tuser, m3_tuser;      // to several nodes
  wire [2:0] done_at, failed_at;

  packet_sender #(.NODE(8'd0), .PACKETS(PACKETS), .WORDS(WORDS)) sender_n0 (
      .clk(clk), .rst(rst), .tdata(s0_tdata), .tvalid(s0_tvalid), .tready(s0_tready), .tlast(s0_tlast)
  );
  packet_sender #(.NODE(8'd3), .PACKETS(PACKETS), .WORDS(WORDS)) sender_n3 (
      .clk(clk), .rst(rst), .tdata(s3_tdata), .tvalid(s3_tvalid), .tready(s3_tready), .tlast(s3_tlast)
  );

  noc network (
      .clk(clk),
      .rst(rst),
      .s_axis_n0_tdata(s0_tdata),
      .s_axis_n0_tvalid(s0_tvalid),
      .s_axis_n0_tready(s0_tready),
      .s_axis_n0_tlast(s0_tlast),
      .s_axis_n0_tdest(2'd0),      // not looked at: tuser names the destinations
      .s_axis_n0_tuser(4'b1110),
      .s_axis_n0_error(s0_error),
      .s_axis_n1_tdata(32'd0),     // n1 and n2 send nothing
      .s_axis_n1_tvalid(1'b0),
      .s_axis_n1_tready(),
      .s_axis_n1_tlast(1'b0),
      .s_axis_n1_tdest(2'd0),
      .s_axis_n1_tuser(4'b0000),
      .s_axis_n1_error(),
      .s_axis_n2_tdata(32'd0),
      .s_axis_n2_tvalid(1'b0),
      .s_axis_n2_tready(),
      .s_axis_n2_tlast(1'b0),
      .s_axis_n2_tdest(2'd0),
      .s_axis_n2_tuser(4'b0000),
      .s_axis_n2_error(),
      .s_axis_n3_tdata(s3_tdata),
      .s_axis_n3_tvalid(s3_tvalid),
      .s_axis_n3_tready(s3_tready),
      .s_axis_n3_tlast(s3_tlast),
      .s_axis_n3_tdest(2'd1),
      .s_axis_n3_tuser(4'b0000),
      .s_axis_n3_error(s3_error),
      .m_axis_n0_tdata(),          // nobody sends to n0
      .m_axis_n0_tvalid(),
      .m_axis_n0_tready(1'b1),
      .m_axis_n0_tlast(),
      .m_axis_n0_tid(),
      .m_axis_n0_tuser(),
      .m_axis_n1_tdata(m1_tdata),
      .m_axis_n1_tvalid(m1_tvalid),
      .m_axis_n1_tready(m1_tready),
      .m_axis_n1_tlast(m1_tlast),
      .m_axis_n1_tid(m1_tid),
      .m_axis_n1_tuser(m1_tuser),
      .m_axis_n2_tdata(m2_tdata),
      .m_axis_n2_tvalid(m2_tvalid),
      .m_axis_n2_tready(m2_tready),
      .m_axis_n2_tlast(m2_tlast),
      .m_axis_n2_tid(m2_tid),
      .m_axis_n2_tuser(m2_tuser),
      .m_axis_n3_tdata(m3_tdata),
      .m_axis_n3_tvalid(m3_tvalid),
      .m_axis_n3_tready(m3_tready),
      .m_axis_n3_tlast(m3_tlast),
      .m_axis_n3_tid(m3_tid),
      .m_axis_n3_tuser(m3_tuser),
      .moved()
  );

  packet_checker #(.PACKETS_OF_N0(PACKETS), .PACKETS_OF_N3(PACKETS), .WORDS(WORDS)) checker_n1 (
      .clk(clk), .rst(rst), .tdata(m1_tdata), .tvalid(m1_tvalid), .tready(m1_tready), .tlast(m1_tlast),
      .tid(m1_tid), .tuser(m1_tuser),
      .done(done_at[0]), .failed(failed_at[0])
  );
  packet_checker #(.PACKETS_OF_N0(PACKETS), .PACKETS_OF_N3(0), .WORDS(WORDS)) checker_n2 (
      .clk(clk), .rst(rst), .tdata(m2_tdata), .tvalid(m2_tvalid), .tready(m2_tready), .tlast(m2_tlast),
      .tid(m2_tid), .tuser(m2_tuser),
      .done(done_at[1]), .failed(failed_at[1])
  );
  packet_checker #(.PACKETS_OF_N0(PACKETS), .PACKETS_OF_N3(0), .WORDS(WORDS)) checker_n3 (
      .clk(clk), .rst(rst), .tdata(m3_tdata), .tvalid(m3_tvalid), .tready(m3_tready), .tlast(m3_tlast),
      .tid(m3_tid), .tuser(m3_tuser),
      .done(done_at[2]), .failed(failed_at[2])
  );

  reg error_seen;
  always @(posedge clk)
    if (rst) error_seen <= 1'b0;
    else if (s0_error || s3_error) error_seen <= 1'b1;

  assign done = &done_at;
  assign failed = error_seen || (|failed_at);
endmodule


// Sends packets whose words say what they are: {sender, number of the packet, number of the word}.
module packet_sender #(
    parameter [7:0] NODE = 0,
    parameter PACKETS = 1,
    parameter WORDS = 1
) (
    input  wire        clk,
    input  wire        rst,
    output wire [31:0] tdata,
    output wire        tvalid,
    input  wire        tready,
    output wire        tlast
);
  reg [15:0] packet;
  reg [7:0] word;

  assign tdata = {NODE, packet, word};
  assign tvalid = packet != PACKETS;
  assign tlast = word == WORDS - 1;

  always @(posedge clk)
    if (rst) begin
      packet <= 16'd0;
      word <= 8'd0;
    end else if (tvalid && tready) begin
      packet <= packet + tlast;
      word <= tlast ? 8'd0 : word + 8'd1;
    end
endmodule


// Expects the packets of n0, which are multicasts, and of n3, each sender's in order, one packet after the other. Takes
// a word in two of three cycles.
module packet_checker #(
    parameter PACKETS_OF_N0 = 0,
    parameter PACKETS_OF_N3 = 0,
    parameter WORDS = 1
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] tdata,
    input  wire        tvalid,
    output wire        tready,
    input  wire        tlast,
    input  wire [1:0]  tid,
    input  wire        tuser,
    output wire        done,
    output reg         failed
);
  reg [15:0] next_of_n0, next_of_n3;
  reg [7:0] word;
  reg [1:0] pause;

  wire is_n0 = tid == 2'd0 && tuser;
  wire is_n3 = tid == 2'd3 && !tuser;
  wire [15:0] due = is_n0 ? next_of_n0 : next_of_n3;
  wire right = (is_n0 || is_n3) && tdata == {6'd0, tid, due, word} && tlast == (word == WORDS - 1);

  assign tready = pause != 2'd2;
  assign done = next_of_n0 == PACKETS_OF_N0 && next_of_n3 == PACKETS_OF_N3 && word == 8'd0;

  always @(posedge clk)
    if (rst) begin
      next_of_n0 <= 16'd0;
      next_of_n3 <= 16'd0;
      word <= 8'd0;
      pause <= 2'd0;
      failed <= 1'b0;
    end else begin
      pause <= tready ? pause + 2'd1 : 2'd0;
      if (tvalid && tready) begin
        word <= tlast ? 8'd0 : word + 8'd1;
        if (!right) failed <= 1'b1;
        if (tlast && is_n0) next_of_n0 <= next_of_n0 + 16'd1;
        if (tlast && is_n3) next_of_n3 <= next_of_n3 + 16'd1;
      end
    end
endmodule
