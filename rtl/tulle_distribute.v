// SPDX-License-Identifier: Apache-2.0
//
// tulle_distribute: issues packets to the distribution units of the selected rows, and reports a packet as done when
// all these rows have sent it.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   op_valid_i, op_ready_o       a distribute operation
//   op_rows_i                    mask of the selected rows, at least one
//   op_scatter_i                 the packet's values belong to the PEs in turn; refused without SCATTER
//   op_tag_i                     returned with the completion or an error
//   unit_valid_o, unit_ready_i   bit r: row r's unit takes the packet; all selected units take it in the same cycle
//   unit_id_o                    number of the packet among the open packets
//   finish_i, finish_id_i        bit and word r: row r's unit has sent the packet of this number
//   done_valid_o, done_ready_i,  completed packets
//   done_tag_o
//   error_o, error_tag_o         one cycle: the operation is refused (no_feature)
//   idle_o                       no packet is open
//
// Parameters
//   ROWS                         1..16
//   ID                           bits of a packet number: 2^ID packets may be open
//   TAG                          bits of op_tag_i
//   SCATTER                      1: clusters can scatter; 0: they cannot
//
// Latency: an operation reaches the units in the cycle in which it is taken. The completion follows the last finish
// by two cycles. One operation a cycle.

`default_nettype none

`include "tulle_isa.vh"

module tulle_distribute #(
  parameter ROWS    = 2,
  parameter ID      = 3,
  parameter TAG     = `TULLE_TAG_WIDTH,
  parameter SCATTER = 0
) (
  input  wire               clk_i,
  input  wire               rst_ni,

  input  wire               op_valid_i,
  output wire               op_ready_o,
  input  wire [ROWS-1:0]    op_rows_i,
  input  wire               op_scatter_i,
  input  wire [TAG-1:0]     op_tag_i,

  output wire [ROWS-1:0]    unit_valid_o,
  input  wire [ROWS-1:0]    unit_ready_i,
  output wire [ID-1:0]      unit_id_o,

  input  wire [ROWS-1:0]    finish_i,
  input  wire [ROWS*ID-1:0] finish_id_i,

  output wire               done_valid_o,
  input  wire               done_ready_i,
  output wire [TAG-1:0]     done_tag_o,

  output wire               error_o,
  output wire [TAG-1:0]     error_tag_o,

  output wire               idle_o
);

  localparam ENTRIES = 1 << ID;

  genvar e, r;

  reg  [ID-1:0]           next_q;          // the entry for the next packet
  reg  [ENTRIES-1:0]      open_q;
  wire [ROWS*ENTRIES-1:0] rows_left;   // rows that have not sent the packet, for each entry
  wire [ENTRIES-1:0]      sent_by_all; // the packet is open and all rows have sent it

  wire refused    = op_scatter_i && SCATTER == 0;
  wire entry_free = !open_q[next_q];
  wire allowed    = op_valid_i && entry_free && (op_rows_i & ~unit_ready_i) == {ROWS{1'b0}} && !refused;

  assign op_ready_o   = entry_free && (op_rows_i & ~unit_ready_i) == {ROWS{1'b0}} && !refused;
  assign unit_valid_o = op_rows_i & {ROWS{allowed}};
  assign unit_id_o    = next_q;
  assign error_o      = op_valid_i && refused;
  assign error_tag_o  = op_tag_i;

  // -- Completion: entries in turn, which is the order of the operations ----------------------------------------

  reg  [ID-1:0] oldest_q;
  reg           done_q;
  wire          done_taken = done_q && done_ready_i;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q   <= {ID{1'b0}};
      oldest_q <= {ID{1'b0}};
      done_q   <= 1'b0;
    end else begin
      if (allowed) next_q      <= next_q + 1'b1;
      if (done_taken) oldest_q <= oldest_q + 1'b1;
      done_q <= !done_taken && sent_by_all[oldest_q];
    end
  end

  tulle_lutram #(
    .WIDTH (TAG),
    .DEPTH (ENTRIES)
  ) u_tags (
    .clk_i   (clk_i),
    .we_i    (allowed),
    .waddr_i (next_q),
    .wdata_i (op_tag_i),
    .raddr_i (oldest_q),
    .rdata_o (done_tag_o)
  );

  assign done_valid_o = done_q;
  assign idle_o       = open_q == {ENTRIES{1'b0}};

  generate
    for (e = 0; e < ENTRIES; e = e + 1) begin : gen_entry
      wire begins = allowed && next_q == e[ID-1:0];
      wire ends   = done_taken && oldest_q == e[ID-1:0];

      always @(posedge clk_i) begin
        if (!rst_ni) open_q[e] <= 1'b0;
        else         open_q[e] <= begins || (open_q[e] && !ends);
      end

      for (r = 0; r < ROWS; r = r + 1) begin : gen_row
        reg  row_left_q;
        wire finish = finish_i[r] && finish_id_i[r*ID +: ID] == e[ID-1:0];

        always @(posedge clk_i) begin
          if (!rst_ni)     row_left_q <= 1'b0;
          else if (begins) row_left_q <= op_rows_i[r];
          else if (finish) row_left_q <= 1'b0;
        end

        assign rows_left[e*ROWS + r] = row_left_q;
      end

      assign sent_by_all[e] = open_q[e] && rows_left[e*ROWS +: ROWS] == {ROWS{1'b0}};
    end
  endgenerate

  tulle_stream_check #(
    .WIDTH (ROWS + 1 + TAG)
  ) u_op_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (op_valid_i),
    .ready_i (op_ready_o),
    .data_i  ({op_rows_i, op_scatter_i, op_tag_i})
  );

endmodule

`default_nettype wire
