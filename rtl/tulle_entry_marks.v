// SPDX-License-Identifier: Apache-2.0
//
// tulle_entry_marks: which entries of an output queue are busy, in LUT RAM. An entry has two bits: one toggles when the
// entry becomes busy, the other when it becomes free; they differ in between. So each RAM has one write port.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   entry_i, busy_o           an entry, and whether it is busy
//   begun_o                   the first bit of entry_i
//   begin_i, begin_entry_i, begin_mark_i
//                             one cycle: an entry that is free becomes busy; the inverse of its first bit. Only while
//                             not clears_o
//   end_i, end_entry_i, end_mark_i
//                             one cycle: it becomes free; begin_mark_i of then. Only while not clears_o
//   clears_o                  the entries are cleared, for ENTRIES cycles after reset
//
// Parameters
//   ENTRIES                   a power of two, at least 2

`default_nettype none

module tulle_entry_marks #(
  parameter ENTRIES = 64
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,

  input  wire [$clog2((ENTRIES > 1) ? ENTRIES : 2)-1:0] entry_i,
  output wire                       busy_o,
  output wire                       begun_o,

  input  wire                       begin_i,
  input  wire [$clog2((ENTRIES > 1) ? ENTRIES : 2)-1:0] begin_entry_i,
  input  wire                       begin_mark_i,

  input  wire                       end_i,
  input  wire [$clog2((ENTRIES > 1) ? ENTRIES : 2)-1:0] end_entry_i,
  input  wire                       end_mark_i,

  output wire                       clears_o
);

  localparam ADDR = $clog2((ENTRIES > 1) ? ENTRIES : 2);

  tulle_require #(
    .LEGAL   (ENTRIES >= 2 && (ENTRIES & (ENTRIES - 1)) == 0),
    .MESSAGE ("tulle_entry_marks: ENTRIES must be a power of two, at least 2")
  ) u_require_entries_power_of_two ();

  reg  [ADDR:0] clear_q; // the entry that is cleared; the highest bit: all are cleared
  wire          clear = !clear_q[ADDR];

  always @(posedge clk_i) begin
    if (!rst_ni)    clear_q <= {ADDR+1{1'b0}};
    else if (clear) clear_q <= clear_q + 1'b1;
  end

  wire ended;

  tulle_lutram #(
    .WIDTH (1),
    .DEPTH (ENTRIES)
  ) u_begun (
    .clk_i   (clk_i),
    .we_i    (clear || begin_i),
    .waddr_i (clear ? clear_q[ADDR-1:0] : begin_entry_i),
    .wdata_i (!clear && begin_mark_i),
    .raddr_i (entry_i), // independent of the clear address, for a shorter path
    .rdata_o (begun_o)
  );

  tulle_lutram #(
    .WIDTH (1),
    .DEPTH (ENTRIES)
  ) u_ended (
    .clk_i   (clk_i),
    .we_i    (clear || end_i),
    .waddr_i (clear ? clear_q[ADDR-1:0] : end_entry_i),
    .wdata_i (!clear && end_mark_i),
    .raddr_i (entry_i),
    .rdata_o (ended)
  );

  assign busy_o   = begun_o != ended;
  assign clears_o = clear;

endmodule

`default_nettype wire
