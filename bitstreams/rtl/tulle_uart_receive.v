// SPDX-License-Identifier: Apache-2.0
//
// tulle_uart_receive: receives bytes from a serial line: a start bit, eight data bits, the lowest first, and a stop
// bit.
//
// Ports
//   clk_i, rst_ni      clock, synchronous reset
//   line_i             the line, asynchronous; 1 when idle
//   valid_o, byte_o    a byte, for one cycle
//
// Parameters
//   DIVISOR            clock cycles of a bit, at least 4
//
// Latency: a byte is delivered half a bit before its stop bit ends. A start bit that is 1 in its middle, and a byte
// without a stop bit, are dropped. The speeds of sender and receiver may differ by 4 %, or less with a small DIVISOR.

`default_nettype none

module tulle_uart_receive #(
  parameter DIVISOR = 104
) (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire       line_i,
  output wire       valid_o,
  output wire [7:0] byte_o
);

  localparam COUNT = $clog2(DIVISOR);
  localparam [COUNT-1:0] BIT  = DIVISOR[COUNT-1:0] - 1'b1;
  localparam [COUNT-1:0] HALF = DIVISOR[COUNT:1] - 1'b1;

  tulle_require #(
    .LEGAL   (DIVISOR >= 4),
    .MESSAGE ("tulle_uart_receive: DIVISOR must be at least 4")
  ) u_require_divisor_at_least_4 ();

  reg  [2:0]       line_q; // the first two stages synchronise the line
  reg  [COUNT-1:0] wait_q; // cycles until the line is sampled
  reg  [3:0]       left_q; // bits to come, including start and stop; 0: idle
  reg  [7:0]       byte_q;
  reg              valid_q;

  wire line = line_q[2];
  wire look = left_q != 4'd0 && wait_q == {COUNT{1'b0}};

  always @(posedge clk_i) begin
    line_q  <= {line_q[1:0], line_i};
    wait_q  <= look ? BIT : wait_q - 1'b1;
    valid_q <= look && left_q == 4'd1 && line;
    if (look) left_q <= left_q - 4'd1;
    if (look && left_q == 4'd10 && line) left_q <= 4'd0;
    if (look && left_q != 4'd10 && left_q != 4'd1) byte_q <= {line, byte_q[7:1]};
    if (left_q == 4'd0 && !line) begin
      left_q <= 4'd10;
      wait_q <= HALF;
    end
    if (!rst_ni) begin
      line_q  <= 3'b111;
      left_q  <= 4'd0;
      valid_q <= 1'b0;
    end
  end

  assign valid_o = valid_q;
  assign byte_o  = byte_q;

endmodule

`default_nettype wire
