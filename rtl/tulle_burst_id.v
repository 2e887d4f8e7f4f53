// SPDX-License-Identifier: Apache-2.0
//
// tulle_burst_id: which AXI ID the bursts of a memory port have, and whose an answer is. All bursts between two
// soft resets have the same ID; the next one begins with a soft reset, so that a slave that answers late does not
// confuse the next job. There are four in turn: bursts of each are counted, and one that comes round again is not used
// before all its old bursts are answered.
//
// Ports
//   clk_i, rst_ni          clock, synchronous reset, which forgets everything
//   flush_i                one cycle: soft reset; bursts under way are nobody's now
//   open_i                 a burst is put on its address channel, with id_o; only while ready_o
//   id_o                   the ID of bursts that begin now
//   ready_o                a burst may begin (as far as IDs go)
//   close_i, close_id_i    a burst is answered, with this ID
//   answered_id_i, ours_o  an answer with this ID belongs to a burst since the last soft reset (combinational)
//   stale_o                id_o still has answers due to bursts from before it came round again
//   idle_o                 no burst of this ID is under way, or stale_o
//
// Parameters
//   OUTSTANDING            bursts of an ID under way, at most
//
// Limits: an answer that no burst is under way for is nobody's. A slave that never answers uses up an ID at each soft
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
  wire [3:0] some; // bit i: bursts of ID i are under way

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      id_q    <= 2'd0;
      stale_q <= 1'b0;
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
        else if (up != down) count_q <= count_q + ({COUNT_WIDTH{down}} | ONE); // by -1 or 1
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
