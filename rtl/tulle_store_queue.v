// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_queue: keeps the results that are to leave the output queues, in order, and the entries that they
// occupy. An entry is busy from the issue of its store until it was shifted out. A store is due when all MACs issued
// before it are closed in all PEs.
//
// Ports
//   clk_i, rst_ni               clock, synchronous reset
//   entry_i, busy_o             an entry, and whether it is busy
//   store_i, last_i             one cycle: entry_i is stored; whether it is the packet's last store; only when
//                               ready_o and the entry is not busy
//   ready_o                     there is room; 0 while the entries are cleared after reset
//   clears_o                    the entries are being cleared
//   issued_i, closed_i          MACs issued, and closed in all PEs, modulo 2^NUMBER
//   hold_o                      no MAC may be issued, because the oldest store has waited so long that MAC numbers
//                               would repeat
//   valid_o, head_o, head_last_o
//                               a store that is due: its entry, and whether it is the packet's last
//   done_i                      one cycle: the store was shifted out
//   idle_o                      no store is waiting
//
// Parameters
//   ENTRIES                     entries of an output queue, a power of two
//   DEPTH                       stores that can wait
//   NUMBER                      bits of a MAC's number
//
// Latency: valid_o follows store_i by at least three cycles, and the last close by one. hold_o is a register as well,
// and therefore rises one MAC early. After reset, ready_o is 0 for ENTRIES cycles.

`default_nettype none

module tulle_store_queue #(
  parameter ENTRIES = 64,
  parameter DEPTH   = 32,
  parameter NUMBER  = 8
) (
  input  wire                                       clk_i,
  input  wire                                       rst_ni,

  input  wire [$clog2((ENTRIES > 1) ? ENTRIES : 2)-1:0] entry_i,
  output wire                                       busy_o,
  input  wire                                       store_i,
  input  wire                                       last_i,
  output wire                                       ready_o,
  output wire                                       clears_o,

  input  wire [NUMBER-1:0]                          issued_i,
  input  wire [NUMBER-1:0]                          closed_i,
  output wire                                       hold_o,

  output wire                                       valid_o,
  output wire [$clog2((ENTRIES > 1) ? ENTRIES : 2)-1:0] head_o,
  output wire                                       head_last_o,
  input  wire                                       done_i,

  output wire                                       idle_o
);

  localparam ADDR = $clog2((ENTRIES > 1) ? ENTRIES : 2);

  tulle_require #(
    .LEGAL   (ENTRIES >= 2 && (ENTRIES & (ENTRIES - 1)) == 0),
    .MESSAGE ("tulle_store_queue: ENTRIES must be a power of two, at least 2")
  ) u_require_entries_power_of_two ();

  // -- Busy entries ----------------------------------------------------------------------------------------------

  wire issued_mark;
  wire head_mark;

  tulle_entry_marks #(
    .ENTRIES (ENTRIES)
  ) u_busy (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .entry_i       (entry_i),
    .busy_o        (busy_o),
    .begun_o       (issued_mark),
    .begin_i       (store_i),
    .begin_entry_i (entry_i),
    .begin_mark_i  (!issued_mark),
    .end_i         (done_i),
    .end_entry_i   (head_o),
    .end_mark_i    (head_mark),
    .clears_o      (clears_o)
  );

  // -- Stores in order -----------------------------------------------------------------------------------------

  wire              queue_ready;
  wire              queue_valid;
  wire              queue_mark;
  wire              queue_last;
  wire [ADDR-1:0]   queue_entry;
  wire [NUMBER-1:0] queue_number;

  // The next store is in registers, so that its number is compared from the beginning of a cycle on.
  reg               next_valid_q;
  reg               next_mark_q;
  reg               next_last_q;
  reg  [ADDR-1:0]   next_q;
  reg  [NUMBER-1:0] next_number_q; // MACs issued before the store
  reg               hold_q;

  localparam [NUMBER-1:0] SOON = 2; // MACs that may be issued before hold_o takes effect

  wire [NUMBER-1:0] lead = closed_i - next_number_q;
  wire [NUMBER-1:0] age  = issued_i - next_number_q + SOON;
  wire              due  = next_valid_q && !lead[NUMBER-1];

  reg             valid_q;
  reg             mark_q;
  reg             last_q;
  reg  [ADDR-1:0] head_q;
  wire            load  = due && (!valid_q || done_i);
  wire            fetch = !next_valid_q || load;

  tulle_fifo #(
    .WIDTH (2 + ADDR + NUMBER),
    .DEPTH (DEPTH)
  ) u_queue (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (store_i),
    .ready_o (queue_ready),
    .data_i  ({!issued_mark, last_i, entry_i, issued_i}),
    .valid_o (queue_valid),
    .ready_i (fetch),
    .data_o  ({queue_mark, queue_last, queue_entry, queue_number})
  );

  always @(posedge clk_i) begin
    if (!rst_ni) {next_valid_q, valid_q, hold_q} <= 3'd0;
    else begin
      next_valid_q <= queue_valid || !fetch;
      valid_q      <= load || (valid_q && !done_i);
      hold_q       <= next_valid_q && age[NUMBER-1];
    end
  end

  always @(posedge clk_i) begin
    if (fetch) {next_mark_q, next_last_q, next_q, next_number_q} <= {queue_mark, queue_last, queue_entry, queue_number};
    if (load)  {mark_q, last_q, head_q} <= {next_mark_q, next_last_q, next_q};
  end

  assign ready_o     = queue_ready && !clears_o;
  assign hold_o      = hold_q;
  assign valid_o     = valid_q;
  assign head_o      = head_q;
  assign head_last_o = last_q;
  assign head_mark   = mark_q;
  assign idle_o      = !queue_valid && !next_valid_q && !valid_q;

  wire unused = &{1'b0, lead, age};

  tulle_assert #(
    .MESSAGE ("an entry is stored only when there is room and it is not busy")
  ) u_store_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!store_i || (ready_o && !busy_o))
  );

endmodule

`default_nettype wire
