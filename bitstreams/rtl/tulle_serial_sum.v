// SPDX-License-Identifier: Apache-2.0
//
// tulle_serial_sum: the check sum of a frame on a serial line: CRC-16 with polynomial 0x1021 and initial value
// 0xFFFF, the highest bit of a byte first. A frame followed by its check sum, the high byte first, has the check sum
// 0.
//
// Ports
//   clk_i, rst_ni     clock, synchronous reset
//   clear_i           a frame begins; a byte may come with it
//   valid_i, byte_i   a byte, not while busy_o
//   busy_o, sum_o     the sum, when not busy
//
// Latency: nine cycles from a byte to its sum.

`default_nettype none

module tulle_serial_sum (
  input  wire        clk_i,
  input  wire        rst_ni,
  input  wire        clear_i,
  input  wire        valid_i,
  input  wire [7:0]  byte_i,
  output wire        busy_o,
  output wire [15:0] sum_o
);

  reg [15:0] sum_q;
  reg [7:0]  byte_q; // bits that are not yet in the sum
  reg [3:0]  left_q; // number of these bits

  assign busy_o = left_q != 4'd0;
  assign sum_o  = sum_q;

  always @(posedge clk_i) begin
    if (busy_o) begin
      sum_q  <= {sum_q[14:0], 1'b0} ^ ((sum_q[15] ^ byte_q[7]) ? 16'h1021 : 16'h0000);
      byte_q <= {byte_q[6:0], 1'b0};
      left_q <= left_q - 4'd1;
    end
    if (valid_i) begin
      byte_q <= byte_i;
      left_q <= 4'd8;
    end
    if (clear_i) sum_q <= 16'hFFFF;
    if (!rst_ni) left_q <= 4'd0;
  end

  tulle_assert #(
    .MESSAGE("no byte comes while the last one is not summed")
  ) u_paced (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(valid_i && busy_o))
  );

endmodule

`default_nettype wire
