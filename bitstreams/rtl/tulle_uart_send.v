// SPDX-License-Identifier: Apache-2.0
//
// tulle_uart_send: sends bytes to a serial line: a start bit, eight data bits, the lowest first, and a stop bit.
//
// Ports
//   clk_i, rst_ni              clock, synchronous reset
//   valid_i, ready_o, byte_i   bytes
//   line_o                     the line, a register; 1 when idle
//
// Parameters
//   DIVISOR                    clock cycles of a bit, at least 4
//
// Latency: the start bit follows a byte by one cycle; one byte in ten bits.

`default_nettype none

module tulle_uart_send #(
  parameter DIVISOR = 104
) (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire       valid_i,
  output wire       ready_o,
  input  wire [7:0] byte_i,
  output wire       line_o
);

  localparam COUNT = $clog2(DIVISOR);
  localparam [COUNT-1:0] BIT = DIVISOR[COUNT-1:0] - 1'b1;

  tulle_require #(
    .LEGAL   (DIVISOR >= 4),
    .MESSAGE ("tulle_uart_send: DIVISOR must be at least 4")
  ) u_require_divisor_at_least_4 ();

  reg [COUNT-1:0] wait_q; // cycles left of this bit
  reg [3:0]       left_q; // bits left, including the current one; 0: idle
  reg [8:0]       bits_q; // the current bit, lowest, and the following bits

  assign ready_o = left_q == 4'd0;
  assign line_o  = bits_q[0];

  always @(posedge clk_i) begin
    if (ready_o) begin
      wait_q <= BIT;
      if (valid_i) begin
        left_q <= 4'd10;
        bits_q <= {byte_i, 1'b0};
      end
    end else if (wait_q != {COUNT{1'b0}}) begin
      wait_q <= wait_q - 1'b1;
    end else begin
      wait_q <= BIT;
      left_q <= left_q - 4'd1;
      bits_q <= {1'b1, bits_q[8:1]};
    end
    if (!rst_ni) begin
      left_q <= 4'd0;
      bits_q <= 9'h1FF;
    end
  end

endmodule

`default_nettype wire
