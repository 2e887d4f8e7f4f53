// SPDX-License-Identifier: Apache-2.0
//
// tulle_reduce_beside: reduces accumulators of all PEs beside MACs of other entries. Reductions wait in a queue and are
// carried out in order. Each begins when all MACs issued before it are closed. It reads one PE in a cycle, while
// no store uses the read port, adds or compares, and asks the function unit. Then the closers of all PEs take no more
// MACs until they are empty, the result takes the path of partial sums, and the closers go on.
//
// From its issue until its result is written, a reduction owns its two entries: a MAC that writes one of them, and a
// MAC or store that reads the result, must wait. So must a reduction with the same source, or the same result, as one
// that waits; with others it need not, because reductions are in order.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   start_i, source_i, entry_i, buffer_i
//                                a reduction of a source into an entry, with the function record of this buffer; only
//                                when ready_o
//   ready_o                      there is room, and no reduction of this source or into this entry waits; 0 while the
//                                entries' marks are cleared after reset, for ENTRIES cycles
//   entry_i                      an entry:
//   owned_o, awaited_o           a reduction is still to read or to write it; a reduction is still to write it
//   issued_i, closed_i           MACs issued, and closed in all PEs, modulo 2^NUMBER
//   hold_o                       no MAC may be issued, because the oldest reduction has waited so long that MAC numbers
//                                would repeat
//   store_take_i                 a store uses the read ports of all PEs in this cycle
//   take_o, take_entry_o         PE p of bit p reads this entry
//   read_i                       what the PEs have read; valid in the next cycle
//   table_write_i, table_buffer_i, table_record_i
//                                a function record, as in a configuration; the module keeps whether it is max
//   chain_valid_o, chain_o, chain_buffer_o
//                                a request for the function unit
//   chain_shift_i                the function unit takes a step: the value shifts right, with sign extension
//   function_valid_i, function_i the function unit answers
//   stop_o                       the closers take no MAC
//   still_i                      bit p: the closer of PE p has no MAC in its stages
//   write_o, write_entry_o, value_o
//                                one cycle: the result for all PEs
//   moving_o                     a reduction has begun
//   idle_o                       no reduction is waiting
//
// Parameters
//   PES                          1..16
//   ACC_WIDTH                    24..64
//   BUFFERS                      instruction buffers
//   ENTRIES                      entries of an output queue, a power of two
//   STEP                         bits of a step of the function unit
//   NUMBER                       bits of a MAC's number
//   DEPTH                        reductions that can wait behind the one that is carried out
//
// Latency: a reduction begins two cycles after its start, and the request follows the last close by PES + 3 cycles,
// without stores. The closers stop from the answer until two cycles after the last of them is empty. An entry that is
// written can be read from the next cycle but one on.

`default_nettype none

`include "tulle_isa.vh"

module tulle_reduce_beside #(
  parameter PES       = 8,
  parameter ACC_WIDTH = 32,
  parameter BUFFERS   = 8,
  parameter ENTRIES   = 64,
  parameter STEP      = 4,
  parameter NUMBER    = 8,
  parameter DEPTH     = 16
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,

  input  wire                       start_i,
  input  wire [$clog2(ENTRIES)-1:0] source_i,
  input  wire [4:0]                 buffer_i,
  output wire                       ready_o,

  input  wire [$clog2(ENTRIES)-1:0] entry_i,
  output wire                       owned_o,
  output wire                       awaited_o,

  input  wire [NUMBER-1:0]          issued_i,
  input  wire [NUMBER-1:0]          closed_i,
  output wire                       hold_o,

  input  wire                       store_take_i,
  output wire [PES-1:0]             take_o,
  output wire [$clog2(ENTRIES)-1:0] take_entry_o,
  input  wire [PES*ACC_WIDTH-1:0]   read_i,

  input  wire                       table_write_i,
  input  wire [4:0]                 table_buffer_i,
  input  wire [`TULLE_CONFIG_WIDTH-1:0] table_record_i,

  output wire                       chain_valid_o,
  output wire [ACC_WIDTH-1:0]       chain_o,
  output wire [4:0]                 chain_buffer_o,
  input  wire                       chain_shift_i,
  input  wire                       function_valid_i,
  input  wire [ACC_WIDTH-1:0]       function_i,

  output wire                       stop_o,
  input  wire [PES-1:0]             still_i,
  output wire                       write_o,
  output wire [$clog2(ENTRIES)-1:0] write_entry_o,
  output wire [ACC_WIDTH-1:0]       value_o,

  output wire                       moving_o,
  output wire                       idle_o
);

  localparam ADDR   = $clog2(ENTRIES);
  localparam PE     = $clog2((PES > 1) ? PES : 2);
  localparam LAST   = PES - 1;
  localparam FIRST  = 1;
  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);

  tulle_require #(
    .LEGAL   (ENTRIES >= 2 && (ENTRIES & (ENTRIES - 1)) == 0),
    .MESSAGE ("tulle_reduce_beside: ENTRIES must be a power of two, at least 2")
  ) u_require_entries_power_of_two ();

  // -- Entries of reductions that wait: results, and sources twice, as two entries are looked at in a cycle ----------

  reg  [ADDR-1:0] source_q; // of the reduction that is carried out
  reg  [ADDR-1:0] result_q;
  reg             source_mark_q;
  reg             result_mark_q;
  wire            write;

  wire [2:0] begun;
  wire [2:0] waits; // a reduction writes entry_i, reads entry_i, reads source_i
  wire [2:0] clears;

  genvar r;
  generate
    for (r = 0; r < 3; r = r + 1) begin : gen_marks
      tulle_entry_marks #(
        .ENTRIES (ENTRIES)
      ) u_marks (
        .clk_i         (clk_i),
        .rst_ni        (rst_ni),
        .entry_i       ((r == 2) ? source_i : entry_i),
        .busy_o        (waits[r]),
        .begun_o       (begun[r]),
        .begin_i       (start_i),
        .begin_entry_i ((r == 0) ? entry_i : source_i),
        .begin_mark_i  ((r == 0) ? !begun[0] : !begun[2]),
        .end_i         (write),
        .end_entry_i   ((r == 0) ? result_q : source_q),
        .end_mark_i    ((r == 0) ? result_mark_q : source_mark_q),
        .clears_o      (clears[r])
      );
    end
  endgenerate

  assign awaited_o = waits[0];
  assign owned_o   = waits[0] || waits[1];

  // -- Reductions in order: the one that is carried out, and a queue --------------------------------------------

  reg              valid_q;
  reg [4:0]        buffer_q;
  reg [NUMBER-1:0] number_q; // MACs issued before the reduction
  reg              hold_q;

  wire              queue_ready;
  wire              queue_valid;
  wire              queue_source_mark;
  wire              queue_result_mark;
  wire [ADDR-1:0]   queue_source;
  wire [ADDR-1:0]   queue_result;
  wire [4:0]        queue_buffer;
  wire [NUMBER-1:0] queue_number;
  wire              free = !valid_q || write;

  tulle_fifo #(
    .WIDTH (2 + 2 * ADDR + 5 + NUMBER),
    .DEPTH (DEPTH)
  ) u_queue (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (start_i),
    .ready_o (queue_ready),
    .data_i  ({!begun[2], !begun[0], source_i, entry_i, buffer_i, issued_i}),
    .valid_o (queue_valid),
    .ready_i (free),
    .data_o  ({queue_source_mark, queue_result_mark, queue_source, queue_result, queue_buffer, queue_number})
  );

  localparam [NUMBER-1:0] SOON = 2; // MACs that may be issued before hold_o takes effect

  wire [NUMBER-1:0] lead = closed_i - number_q;
  wire [NUMBER-1:0] age  = issued_i - number_q + SOON;

  always @(posedge clk_i) begin
    if (!rst_ni) {valid_q, hold_q} <= 2'd0;
    else begin
      if (free) valid_q <= queue_valid;
      hold_q <= valid_q && !write && age[NUMBER-1];
    end
  end

  always @(posedge clk_i) begin
    if (free) {source_mark_q, result_mark_q, source_q, result_q, buffer_q, number_q} <=
              {queue_source_mark, queue_result_mark, queue_source, queue_result, queue_buffer, queue_number};
  end

  // -- Reading and adding -----------------------------------------------------------------------------------------

  wire is_max;

  tulle_lutram #(
    .WIDTH (1),
    .DEPTH (BUFFERS)
  ) u_table (
    .clk_i   (clk_i),
    .we_i    (table_write_i),
    .waddr_i (table_buffer_i[BUFFER-1:0]),
    .wdata_i (table_record_i[`TULLE_CONFIG_FUNCTION_FUNCTION] == `TULLE_FUNCTION_MAX),
    .raddr_i (buffer_q[BUFFER-1:0]),
    .rdata_o (is_max)
  );

  reg                 begun_q;   // from the last close on
  reg                 reading_q;
  reg [PE-1:0]        pe_q;      // the PE that is read
  reg                 read_q;    // a PE was read
  reg [PE-1:0]        read_pe_q;
  reg                 asking_q;
  reg                 stop_q;
  reg                 still_q;
  reg [ACC_WIDTH-1:0] value_q;

  wire                 begins  = valid_q && !begun_q && !lead[NUMBER-1];
  wire                 take    = reading_q && !store_take_i;
  wire                 read_all = take && pe_q == LAST[PE-1:0];
  wire                 ask     = read_q && read_pe_q == LAST[PE-1:0];
  wire [ACC_WIDTH-1:0] own     = read_i[read_pe_q*ACC_WIDTH +: ACC_WIDTH];
  wire                 first   = read_pe_q == {PE{1'b0}};
  wire                 larger  = $signed(own) > $signed(value_q);
  wire                 answer  = asking_q && function_valid_i;

  assign write = stop_q && still_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {begun_q, reading_q, read_q, asking_q, stop_q, still_q} <= 6'd0;
    else begin
      begun_q   <= (begun_q || begins) && !write;
      reading_q <= begins || (reading_q && !read_all);
      read_q    <= take;
      asking_q  <= ask || (asking_q && !answer);
      stop_q    <= answer || (stop_q && !write);
      still_q   <= stop_q && !write && &still_i;
    end
  end

  always @(posedge clk_i) begin
    if (begins)    pe_q <= {PE{1'b0}};
    else if (take) pe_q <= pe_q + 1'b1;
    read_pe_q <= pe_q;

    if (read_q && (first || (is_max && larger))) value_q <= own;
    else if (read_q && !is_max)                  value_q <= value_q + own;
    else if (answer)                             value_q <= function_i;
    else if (chain_shift_i)                      value_q <= {{STEP{value_q[ACC_WIDTH-1]}}, value_q[ACC_WIDTH-1:STEP]};
  end

  assign ready_o        = queue_ready && !clears[0] && !waits[0] && !waits[2];
  assign hold_o         = hold_q;
  assign take_o         = take ? FIRST[PES-1:0] << pe_q : {PES{1'b0}};
  assign take_entry_o   = source_q;
  assign chain_valid_o  = asking_q;
  assign chain_o        = value_q;
  assign chain_buffer_o = buffer_q;
  assign stop_o         = stop_q;
  assign write_o        = write;
  assign write_entry_o  = result_q;
  assign value_o        = value_q;
  assign moving_o       = begun_q;
  assign idle_o         = !valid_q && !queue_valid;

  wire unused = &{1'b0, begun[1], clears[2:1], buffer_q, table_buffer_i, table_record_i, lead, age};

  tulle_assert #(
    .MESSAGE("a reduction comes only when there is room")
  ) u_start_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || ready_o)
  );

endmodule

`default_nettype wire
