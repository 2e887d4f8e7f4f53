// SPDX-License-Identifier: Apache-2.0
//
// tulle_distribute: hands packets to the distribution units of all rows named, and says when all have sent theirs.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   op_valid_i, op_ready_o       a distribute operation
//   op_rows_i                    the rows named, at least one
//   op_scatter_i                 its values belong to the PEs in turn: refused without SCATTER
//   op_tag_i                     given back when done, or with an error
//   unit_valid_o, unit_ready_i   bit r: row r's unit is given the packet, in the same cycle as all others; has room
//   unit_id_o                    number of the packet among those under way
//   finish_i, finish_id_i        bit and word r: row r's unit has sent its packet
//   done_valid_o, done_ready_i,
//   done_tag_o                   all rows have sent the packet
//   error_o, error_tag_o         one cycle: the operation is refused (no_feature)
//   idle_o                       no packet is under way
//
// Parameters
//   ROWS                         1..16
//   ID                           bits of a number: 2^ID packets may be under way
//   TAG                          bits of op_tag_i
//   SCATTER                      whether clusters scatter: 0 or 1
//
// Latency: an op is handed to the units in the cycle in which it is taken; done follows the last finish by two
// cycles. One op a cycle.

`default_nettype none

module tulle_distribute #(
  parameter ROWS    = 2,
  parameter ID      = 3,
  parameter TAG     = 38,
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
  reg  [ENTRIES-1:0]      on_q;
  wire [ROWS*ENTRIES-1:0] left;            // rows that have not sent it yet, entry by entry
  wire [ENTRIES-1:0]      sent;            // on, and by all rows

  wire refused = op_scatter_i && SCATTER == 0;
  wire free    = !on_q[next_q];
  wire allowed = op_valid_i && free && (op_rows_i & ~unit_ready_i) == {ROWS{1'b0}} && !refused;

  assign op_ready_o   = free && (op_rows_i & ~unit_ready_i) == {ROWS{1'b0}} && !refused;
  assign unit_valid_o = op_rows_i & {ROWS{allowed}};
  assign unit_id_o    = next_q;
  assign error_o      = op_valid_i && refused;
  assign error_tag_o  = op_tag_i;

  // -- Done: the entries in turn, which is the order of the operations ------------------------------------------

  reg  [ID-1:0] oldest_q;
  reg           done_q;
  wire          taken = done_q && done_ready_i;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q   <= {ID{1'b0}};
      oldest_q <= {ID{1'b0}};
      done_q   <= 1'b0;
    end else begin
      if (allowed) next_q <= next_q + 1'b1;
      if (taken) oldest_q <= oldest_q + 1'b1;
      done_q <= !taken && sent[oldest_q];
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
  assign idle_o       = on_q == {ENTRIES{1'b0}};

  generate
    for (e = 0; e < ENTRIES; e = e + 1) begin : gen_entry
      wire begins = allowed && next_q == e[ID-1:0];
      wire ends   = taken && oldest_q == e[ID-1:0];

      always @(posedge clk_i) begin
        if (!rst_ni) on_q[e] <= 1'b0;
        else         on_q[e] <= begins || (on_q[e] && !ends);
      end

      for (r = 0; r < ROWS; r = r + 1) begin : gen_row
        reg  left_q;
        wire finish = finish_i[r] && finish_id_i[r*ID +: ID] == e[ID-1:0];

        always @(posedge clk_i) begin
          if (!rst_ni)     left_q <= 1'b0;
          else if (begins) left_q <= op_rows_i[r];
          else if (finish) left_q <= 1'b0;
        end

        assign left[e*ROWS + r] = left_q;
      end

      assign sent[e] = on_q[e] && left[e*ROWS +: ROWS] == {ROWS{1'b0}};
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
