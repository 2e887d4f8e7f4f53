// SPDX-License-Identifier: Apache-2.0
//
// tulle_input_buffer: a PE's activations and their bitmask.
//
// Both are kept line by line: a line of activations, and a line of one bit for each. They are separate memories
// with separate read ports, because an index comparator looks up bits for every weight, and values only for
// those that meet a bit.
//
// Ports
//   clk_i                                     clock
//   write_i, line_i, data_i, mask_i           write a line and its bits
//   data_read_i, data_line_i, data_o          read a line of activations
//   mask_read_i, mask_line_i, mask_o          read the bits of a line
//
// Parameters
//   DATA_WIDTH                                bits of an activation
//   LINE                                      activations in a line
//   LINES                                     lines
//
// Latency: reads answer in the next cycle. Limits: a line must not be read while it is written.

`default_nettype none

module tulle_input_buffer #(
  parameter DATA_WIDTH = 8,
  parameter LINE       = 8,
  parameter LINES      = 256
) (
  input  wire                                   clk_i,

  input  wire                                   write_i,
  input  wire [$clog2((LINES > 1) ? LINES : 2)-1:0] line_i,
  input  wire [LINE*DATA_WIDTH-1:0]             data_i,
  input  wire [LINE-1:0]                        mask_i,

  input  wire                                   data_read_i,
  input  wire [$clog2((LINES > 1) ? LINES : 2)-1:0] data_line_i,
  output wire [LINE*DATA_WIDTH-1:0]             data_o,

  input  wire                                   mask_read_i,
  input  wire [$clog2((LINES > 1) ? LINES : 2)-1:0] mask_line_i,
  output wire [LINE-1:0]                        mask_o
);

  tulle_ram_1w1r #(
    .WIDTH (LINE * DATA_WIDTH),
    .DEPTH (LINES)
  ) u_data (
    .clk_i   (clk_i),
    .we_i    (write_i),
    .waddr_i (line_i),
    .wdata_i (data_i),
    .re_i    (data_read_i),
    .raddr_i (data_line_i),
    .rdata_o (data_o)
  );

  tulle_ram_1w1r #(
    .WIDTH (LINE),
    .DEPTH (LINES)
  ) u_mask (
    .clk_i   (clk_i),
    .we_i    (write_i),
    .waddr_i (line_i),
    .wdata_i (mask_i),
    .re_i    (mask_read_i),
    .raddr_i (mask_line_i),
    .rdata_o (mask_o)
  );

endmodule

`default_nettype wire
