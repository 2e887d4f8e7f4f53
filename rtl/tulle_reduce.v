// SPDX-License-Identifier: Apache-2.0
//
// tulle_reduce: reduces the accumulators of all PEs to one value: their sum modulo 2^ACC_WIDTH, or their maximum. The
// value goes through the function unit like the accumulator of a chained MAC, and the result returns to the PEs.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   start_i, buffer_i            begins, with the function record of this buffer; only when idle_o
//   take_o, result_i             the PEs' accumulators are read; they are valid from the next cycle on
//   table_write_i, table_buffer_i, table_record_i
//                                a function record, as in a configuration; the module keeps whether it is max
//   chain_valid_o, chain_o       a request for the function unit
//   chain_shift_i                the function unit takes a step: the value shifts right, with sign extension
//   function_valid_i             the function unit answers
//   idle_o                       no reduction is in progress
//
// Parameters
//   PES                          1..16
//   ACC_WIDTH                    24..64
//   BUFFERS                      instruction buffers
//   STEP                         bits of a step of the function unit
//
// Latency: the request follows start_i by PES + 3 cycles.

`default_nettype none

`include "tulle_isa.vh"

module tulle_reduce #(
  parameter PES       = 8,
  parameter ACC_WIDTH = 32,
  parameter BUFFERS   = 8,
  parameter STEP      = 4
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     start_i,
  input  wire [4:0]               buffer_i,
  output wire                     take_o,
  input  wire [PES*ACC_WIDTH-1:0] result_i,

  input  wire                     table_write_i,
  input  wire [4:0]               table_buffer_i,
  input  wire [`TULLE_CONFIG_WIDTH-1:0]             table_record_i,

  output wire                     chain_valid_o,
  output wire [ACC_WIDTH-1:0]     chain_o,
  input  wire                     chain_shift_i,
  input  wire                     function_valid_i,

  output wire                     idle_o
);

  localparam PE     = $clog2((PES > 1) ? PES : 2);
  localparam LAST   = PES - 1;
  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);

  wire is_max;

  tulle_lutram #(
    .WIDTH (1),
    .DEPTH (BUFFERS)
  ) u_table (
    .clk_i   (clk_i),
    .we_i    (table_write_i),
    .waddr_i (table_buffer_i[BUFFER-1:0]),
    .wdata_i (table_record_i[`TULLE_CONFIG_FUNCTION_FUNCTION] == `TULLE_FUNCTION_MAX),
    .raddr_i (buffer_i[BUFFER-1:0]),
    .rdata_o (is_max)
  );

  reg [1:0]           begun_q;   // the last write is still moving into the PEs' RAM
  reg                 adding_q;
  reg                 asking_q;
  reg [PE-1:0]        pe_q;
  reg [ACC_WIDTH-1:0] value_q;

  wire                 last_pe   = pe_q == LAST[PE-1:0];
  wire [ACC_WIDTH-1:0] pe_result = result_i[pe_q*ACC_WIDTH +: ACC_WIDTH];
  wire                 first_pe  = pe_q == {PE{1'b0}};
  wire                 larger    = $signed(pe_result) > $signed(value_q);

  always @(posedge clk_i) begin
    if (!rst_ni) {begun_q, adding_q, asking_q} <= 4'd0;
    else begin
      begun_q  <= {begun_q[0], start_i};
      adding_q <= begun_q[1] || (adding_q && !last_pe);
      asking_q <= (adding_q && last_pe) || (asking_q && !function_valid_i);
    end
  end

  always @(posedge clk_i) begin
    if (start_i)       pe_q <= {PE{1'b0}};
    else if (adding_q) pe_q <= pe_q + 1'b1;

    if (adding_q && (first_pe || (is_max && larger))) value_q <= pe_result;
    else if (adding_q && !is_max)                value_q      <= value_q + pe_result;
    else if (chain_shift_i)                      value_q      <= {{STEP{value_q[ACC_WIDTH-1]}}, value_q[ACC_WIDTH-1:STEP]};
  end

  assign take_o        = begun_q[1];
  assign chain_valid_o = asking_q;
  assign chain_o       = value_q;
  assign idle_o        = begun_q == 2'b00 && !adding_q && !asking_q;

  wire unused = &{1'b0, buffer_i, table_buffer_i, table_record_i};

  tulle_assert #(
    .MESSAGE("a reduction begins only when the last one is answered")
  ) u_start_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || idle_o)
  );

endmodule

`default_nettype wire
