// Clock, reset and verdict for top.v.
`timescale 1ns / 1ps

module bench;
  reg clk = 1'b0;
  reg rst = 1'b1;
  wire done, failed;
  integer cycles = 0;

  top dut (.clk(clk), .rst(rst), .done(done), .failed(failed));

  always #5 clk = ~clk;
  initial #42 rst = 1'b0;

  always @(posedge clk) begin
    cycles <= cycles + 1;
    if (!rst && failed) begin
      $display("FAIL: a wrong word, or an unroutable packet, after %0d cycles", cycles);
      $finish;
    end else if (!rst && done) begin
      $display("PASS: all packets arrived after %0d cycles", cycles);
      $finish;
    end else if (cycles == 2000) begin
      $display("FAIL: packets are missing after %0d cycles", cycles);
      $finish;
    end
  end
endmodule
