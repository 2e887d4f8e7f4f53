// SPDX-License-Identifier: Apache-2.0
//
// tulle_burst_id: assigns AXI IDs to the bursts of a memory port and decides whether a response belongs to the
// current job. All bursts between two soft resets have the same ID. A soft reset switches to the next of four IDs, so
// that late responses to the previous job are recognised. The module counts the outstanding bursts of each ID and
// uses an ID again only when its old bursts are answered.
//
// Ports
//   clk_i, rst_ni          clock, synchronous reset, which clears all counts
//   flush_i                one cycle: soft reset; outstanding bursts no longer belong to the current job
//   open_i                 a burst with ID id_o is put on its address channel; only while ready_o
//   id_o                   the ID of new bursts
//   ready_o                the ID is free, so that a burst may begin
//   close_i                a burst with ID answered_id_i is answered
//   answered_id_i, ours_o  a response with this ID belongs to a burst since the last soft reset (combinational)
//   stale_o                id_o still has outstanding bursts from its previous use
//   idle_o                 no burst since the last soft reset is outstanding
//
// Parameters
//   OUTSTANDING            maximum number of outstanding bursts of an ID
//
// Limits: a response without an outstanding burst is ignored. A slave that never answers blocks one ID at each soft
// reset; after four of them no burst begins until reset.

`default_nettype none

module tulle_burst_id #(
  parameter OUTSTANDING = 16
) (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire       flush_i,

  input  wire       open_i,
  output wire [1:0] id_o,
  output wire       ready_o,

  input  wire       close_i,
  input  wire [1:0] answered_id_i,
  output wire       ours_o,
  output wire       stale_o,
  output wire       idle_o
);

  localparam COUNT_WIDTH = $clog2(OUTSTANDING + 1);
  localparam [COUNT_WIDTH-1:0] ONE = 1;

  tulle_require #(
    .LEGAL   (OUTSTANDING >= 1),
    .MESSAGE ("tulle_burst_id: OUTSTANDING must be at least 1")
  ) u_require_outstanding_at_least_1 ();

  reg  [1:0] id_q;
  reg        stale_q;
  wire [3:0] some; // bit i: bursts of ID i are outstanding

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {id_q, stale_q} <= 3'd0;
    end else if (flush_i) begin
      id_q    <= id_q + 2'd1;
      stale_q <= 1'b1;
    end else begin
      stale_q <= stale_q && some[id_q];
    end
  end

  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : gen_id
      reg [COUNT_WIDTH-1:0] count_q;
      wire up   = open_i && id_q == i;
      wire down = close_i && answered_id_i == i && some[i];

      assign some[i] = count_q != {COUNT_WIDTH{1'b0}};

      always @(posedge clk_i) begin
        if (!rst_ni)         count_q <= {COUNT_WIDTH{1'b0}};
        else if (up != down) count_q <= count_q + ({COUNT_WIDTH{down}} | ONE); // adds -1 or 1
      end

      tulle_assert #(
        .MESSAGE("never more bursts under way than OUTSTANDING")
      ) u_no_overflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(up && !down && count_q == OUTSTANDING[COUNT_WIDTH-1:0]))
      );
    end
  endgenerate

  assign id_o    = id_q;
  assign ready_o = !stale_q && !flush_i;
  assign ours_o  = answered_id_i == id_q && !stale_q && some[id_q];
  assign stale_o = stale_q;
  assign idle_o  = stale_q || !some[id_q];

  tulle_assert #(
    .MESSAGE("a burst begins only while an ID is free")
  ) u_open_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!open_i || ready_o)
  );

endmodule

`default_nettype wire
