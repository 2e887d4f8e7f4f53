// SPDX-License-Identifier: Apache-2.0
//
// tulle_reduce: reduces the accumulators of all PEs to one value: their sum modulo 2^ACC_WIDTH, or their maximum. The
// value goes through the function unit like the accumulator of a chained MAC, and the result returns to the PEs.
//
// With FORMS it carries out all SPU instructions: a reduction may also go to a scalar register. A copy, and a function
// that does not reduce, are done for the accumulators of one PE after another; a copy is a function that changes
// nothing.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   start_i, buffer_i            begins, with the function record of this buffer; only when idle_o
//   function_i, destination_i    with FORMS: the number of the record, or 0 for a copy, and the scalar register, or 0;
//                                stable while not idle_o
//   take_o, result_i             the PEs' accumulators are read; they are valid from the next cycle on
//   table_write_i, table_buffer_i, table_index_i, table_record_i
//                                a function record, as in a configuration, and its number from 0; the module keeps
//                                whether it is max, and with FORMS whether it reduces
//   chain_valid_o, chain_o       a request for the function unit
//   chain_shift_i                the function unit takes a step: the value shifts right, with sign extension
//   function_valid_i             the function unit answers
//   function_index_o, copies_o   with FORMS: the number of the function's record from 0 while one is asked for; it is
//                                the function of a copy
//   write_o                      the function unit's result is for the accumulators of these PEs
//   scalar_write_o               it is for the scalar register
//   idle_o                       no reduction is in progress
//
// Parameters
//   PES                          1..16
//   ACC_WIDTH                    24..64
//   BUFFERS                      instruction buffers
//   STEP                         bits of a step of the function unit
//   FORMS                        1: all forms of SPU instructions
//
// Latency: the request follows start_i by PES + 3 cycles. For a function of each PE the first one follows by 4 cycles,
// and each further one by 2 cycles after the result before it.

`default_nettype none

`include "tulle_isa.vh"

module tulle_reduce #(
  parameter PES       = 8,
  parameter ACC_WIDTH = 32,
  parameter BUFFERS   = 8,
  parameter STEP      = 4,
  parameter FORMS     = 0
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     start_i,
  input  wire [4:0]               buffer_i,
  input  wire [1:0]               function_i,
  input  wire [3:0]               destination_i,
  output wire                     take_o,
  input  wire [PES*ACC_WIDTH-1:0] result_i,

  input  wire                     table_write_i,
  input  wire [4:0]               table_buffer_i,
  input  wire [1:0]               table_index_i,
  input  wire [`TULLE_CONFIG_WIDTH-1:0]             table_record_i,

  output wire                     chain_valid_o,
  output wire [ACC_WIDTH-1:0]     chain_o,
  input  wire                     chain_shift_i,
  input  wire                     function_valid_i,

  output wire [1:0]               function_index_o,
  output wire                     copies_o,
  output wire [PES-1:0]           write_o,
  output wire                     scalar_write_o,

  output wire                     idle_o
);

  localparam PE     = $clog2((PES > 1) ? PES : 2);
  localparam LAST   = PES - 1;
  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);

  wire       is_max;
  wire       each;  // the function is applied to the accumulators of each PE
  wire [1:0] index = function_i - 2'd1;
  wire       record_is_max = table_record_i[`TULLE_CONFIG_FUNCTION_FUNCTION] == `TULLE_FUNCTION_MAX;

  generate
    if (FORMS != 0) begin : gen_forms
      wire record_reduces = record_is_max || table_record_i[`TULLE_CONFIG_FUNCTION_FUNCTION] == `TULLE_FUNCTION_SUM ||
                            table_record_i[`TULLE_CONFIG_FUNCTION_FUNCTION] == `TULLE_FUNCTION_AVERAGE;
      wire max;
      wire reduces;

      tulle_lutram #(
        .WIDTH (2),
        .DEPTH (4 << BUFFER)
      ) u_table (
        .clk_i   (clk_i),
        .we_i    (table_write_i),
        .waddr_i ({table_index_i, table_buffer_i[BUFFER-1:0]}),
        .wdata_i ({record_is_max, record_reduces}),
        .raddr_i ({index, buffer_i[BUFFER-1:0]}),
        .rdata_o ({max, reduces})
      );

      assign copies_o = function_i == 2'd0;
      assign each     = copies_o || !reduces;
      assign is_max   = !each && max;
    end else begin : gen_reductions
      tulle_lutram #(
        .WIDTH (1),
        .DEPTH (BUFFERS)
      ) u_table (
        .clk_i   (clk_i),
        .we_i    (table_write_i),
        .waddr_i (table_buffer_i[BUFFER-1:0]),
        .wdata_i (record_is_max),
        .raddr_i (buffer_i[BUFFER-1:0]),
        .rdata_o (is_max)
      );

      assign copies_o = 1'b0;
      assign each     = 1'b0;
    end
  endgenerate

  reg [1:0]           begun_q;   // the last write is still moving into the PEs' RAM
  reg                 adding_q;
  reg                 asking_q;
  reg [PE-1:0]        pe_q;
  reg [ACC_WIDTH-1:0] value_q;

  wire                 last_pe   = pe_q == LAST[PE-1:0];
  wire [ACC_WIDTH-1:0] pe_result = result_i[pe_q*ACC_WIDTH +: ACC_WIDTH];
  wire                 first_pe  = pe_q == {PE{1'b0}};
  wire                 next_each = each && asking_q && function_valid_i;
  wire                 larger    = $signed(pe_result) > $signed(value_q);
  wire                 replaces  = first_pe || each || is_max; // the next accumulator is not added

  // A digit less of the value takes the path of an accumulator.
  wire [ACC_WIDTH-1:0] digits = {{STEP{value_q[ACC_WIDTH-1]}}, value_q[ACC_WIDTH-1:STEP]};
  wire [ACC_WIDTH-1:0] value_d;

  tulle_sum #(
    .WIDTH (ACC_WIDTH)
  ) u_value (
    .zero_i   (replaces || !adding_q),
    .second_i (1'b0),
    .a_i      (value_q),
    .b_i      (value_q),
    .c_i      (adding_q ? pe_result : digits),
    .carry_i  (1'b0),
    .sum_o    (value_d)
  );

  always @(posedge clk_i) begin
    if (!rst_ni) {begun_q, adding_q, asking_q} <= 4'd0;
    else begin
      begun_q  <= {begun_q[0], start_i};
      adding_q <= begun_q[1] || (adding_q && !last_pe && !each) || (next_each && !last_pe);
      asking_q <= (adding_q && (last_pe || each)) || (asking_q && !function_valid_i);
    end
  end

  always @(posedge clk_i) begin
    if (start_i)       pe_q <= {PE{1'b0}};
    else if (each ? next_each : adding_q) pe_q <= pe_q + 1'b1;

    if (adding_q ? first_pe || each || !is_max || larger : chain_shift_i) value_q <= value_d;
  end

  assign take_o        = begun_q[1];
  assign chain_valid_o = asking_q;
  assign chain_o       = value_q;
  assign idle_o        = begun_q == 2'b00 && !adding_q && !asking_q;

  wire [PES-1:0] first     = 1;
  wire           to_scalar = FORMS != 0 && destination_i != 4'd0;

  assign function_index_o = (FORMS != 0 && !idle_o && !copies_o) ? index : 2'd0;
  assign write_o          = (!function_valid_i || idle_o || to_scalar) ? {PES{1'b0}} : each ? first << pe_q : {PES{1'b1}};
  assign scalar_write_o   = function_valid_i && !idle_o && to_scalar;

  wire unused = &{1'b0, function_i, destination_i, table_index_i, buffer_i, table_buffer_i, table_record_i};

  tulle_assert #(
    .MESSAGE("a reduction begins only when the last one is answered")
  ) u_start_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || idle_o)
  );

endmodule

`default_nettype wire
