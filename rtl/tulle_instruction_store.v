// SPDX-License-Identifier: Apache-2.0
//
// tulle_instruction_store: the instruction buffers and the register file of a cluster, in LUT RAM. An entry of the
// register file holds an instruction with its operands. A few values for each buffer are stored beside it.
//
// Buffers share the register file. A buffer gets a page of four entries (fewer if DEPTH is below four) whenever its
// configuration needs one, and returns all its pages when it is configured again. The register file may therefore be
// smaller than all buffers together, and short sequences leave room for long ones. The pages of a buffer form a
// linked list, so the entry of an instruction gives the entry of the next one.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset (no buffer is configured, and all pages are free)
//   buffer_i                  the buffer that is written
//   clear_i                   one cycle: the buffer is not configured any more, and its pages are freed
//   write_instruction_i, ...  one cycle: writes instruction write_index_i; the indices count up from 0
//   ready_o                   an instruction can be written: the search for a free page has ended
//   full_o                    no page is free for this instruction, and it is not written
//   write_buffer_i, ...       one cycle: writes the values of the buffer, which is configured from here on
//   look_buffer_i             selects a buffer for:
//   configured_o, packet_o    whether it is configured, and its values for a packet
//   look_entry_o, look_single_o
//                             the entry of its first instruction, and whether there is no other
//   read_entry_i, operands_o  reads an instruction by its entry; not while a buffer is written
//   next_o                    the entry of the buffer's next instruction
//   read_buffer_i, sequence_o the values of a buffer while its sequence runs
//   first_o                   no packet has run this buffer since it was configured
//   run_i                     one cycle: clears first_o of this buffer from the next cycle but one on
//
// Parameters
//   BUFFERS                   instruction buffers
//   DEPTH                     instructions in a buffer
//   ENTRIES                   entries of the register file, rounded up to whole pages
//   OPERANDS                  bits of an instruction with its operands
//   PACKET, SEQUENCE          bits of a buffer's values for packets and for running
//
// Latency: reads are combinational. The walk visits one page a cycle: all pages to free those of a configured buffer,
// then up to the next free one.

`default_nettype none

module tulle_instruction_store #(
  parameter BUFFERS  = 8,
  parameter DEPTH    = 8,
  parameter ENTRIES  = 64,
  parameter OPERANDS = 87,
  parameter PACKET   = 28,
  parameter SEQUENCE = 24
) (
  input  wire                clk_i,
  input  wire                rst_ni,

  input  wire [4:0]          buffer_i,
  input  wire                clear_i,

  input  wire                write_instruction_i,
  input  wire [4:0]          write_index_i,
  input  wire [OPERANDS-1:0] write_operands_i,
  input  wire                write_single_i,
  output wire                ready_o,
  output wire                full_o,

  input  wire                write_buffer_i,
  input  wire [PACKET-1:0]   write_packet_i,
  input  wire [SEQUENCE-1:0] write_sequence_i,

  input  wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] look_buffer_i,
  output wire                configured_o,
  output wire [PACKET-1:0]   packet_o,
  output wire [9:0]          look_entry_o,
  output wire                look_single_o,

  input  wire [9:0]          read_entry_i,
  output wire [OPERANDS-1:0] operands_o,
  output wire [9:0]          next_o,

  input  wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] read_buffer_i,
  output wire [SEQUENCE-1:0] sequence_o,
  output wire                first_o,
  input  wire                run_i
);

  localparam PAGE         = (DEPTH >= 4) ? 4 : (DEPTH >= 2) ? 2 : 1; // entries
  localparam PAGES        = (ENTRIES + PAGE - 1) / PAGE;
  localparam PAGE_SHIFT   = $clog2(PAGE);
  localparam BUFFER_WIDTH = $clog2((BUFFERS > 1) ? BUFFERS : 2);
  localparam PAGE_WIDTH   = $clog2((PAGES > 1) ? PAGES : 2);
  localparam ENTRY_WIDTH  = $clog2((PAGES * PAGE > 1) ? PAGES * PAGE : 2);

  tulle_require #(
    .LEGAL   (BUFFERS >= 1 && BUFFERS <= 32 && DEPTH >= 1 && DEPTH <= 32),
    .MESSAGE ("tulle_instruction_store: BUFFERS and DEPTH must be 1..32")
  ) u_require_buffers_and_depth_1_to_32 ();

  tulle_require #(
    .LEGAL   (ENTRIES >= DEPTH && ENTRIES <= 1024),
    .MESSAGE ("tulle_instruction_store: ENTRIES must be DEPTH..1024")
  ) u_require_entries_depth_to_1024 ();

  wire [BUFFER_WIDTH-1:0] index = buffer_i[BUFFER_WIDTH-1:0];

  // -- Which buffers are configured -----------------------------------------------------------------------

  reg [BUFFERS-1:0] configured_q;
  integer           b;

  always @(posedge clk_i) begin
    for (b = 0; b < BUFFERS; b = b + 1) begin
      if (!rst_ni)                                                configured_q[b] <= 1'b0;
      else if (buffer_i == b[4:0] && (clear_i || write_buffer_i)) configured_q[b] <= write_buffer_i;
    end
  end

  generate
    if (BUFFERS == 1) begin : gen_one_buffer
      assign configured_o = configured_q;
    end else begin : gen_buffers
      assign configured_o = configured_q[look_buffer_i];
    end
  endgenerate

  reg                    ran_q;
  reg [BUFFER_WIDTH-1:0] ran_buffer_q;

  always @(posedge clk_i) begin
    ran_q        <= rst_ni && run_i;
    ran_buffer_q <= read_buffer_i;
  end

  tulle_lutram #(
    .WIDTH (1),
    .DEPTH (BUFFERS)
  ) u_first (
    .clk_i   (clk_i),
    .we_i    (write_buffer_i || ran_q),
    .waddr_i (write_buffer_i ? index : ran_buffer_q),
    .wdata_i (write_buffer_i),
    .raddr_i (read_buffer_i),
    .rdata_o (first_o)
  );

  // -- Pages: their owners, and a walk through them ---------------------------------------------------------

  reg  [PAGE_WIDTH:0]   walk_q;      // the current page of the walk
  reg                   returning_q; // the walk frees pages
  reg                   all_q;       // the walk frees all pages, after reset
  reg                   lost_q;      // no page was free for the last request

  wire                    owned;
  wire [BUFFER_WIDTH-1:0] owner;

  localparam [4:0] OFFSET = PAGE - 1; // the bits of an index within a page

  wire                  new_page = write_instruction_i && (write_index_i & OFFSET) == 5'd0;
  reg  [PAGE_WIDTH-1:0] page_q;  // the last page that was allocated
  reg  [PAGE_WIDTH-1:0] first_q; // the first page of the buffer that is written
  wire                  at_end   = walk_q == PAGES[PAGE_WIDTH:0];
  wire                  get      = new_page && !at_end;
  wire                  give     = returning_q && !at_end && (all_q || owner == index);
  wire                  pass     = returning_q || get || (owned && !at_end);
  wire                  begins   = !rst_ni || clear_i || (returning_q && at_end);

  assign ready_o = !returning_q && (at_end || !owned);
  assign full_o  = write_instruction_i && (new_page ? at_end : lost_q);

  // Without this, a buffer that is not configured has no page.
  reg  open_q;  // instructions of a buffer were written, and it is not configured
  reg  loose_q; // that was so when another one began
  wire may_own = configured_q[index] || open_q || loose_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {open_q, loose_q} <= 2'd0;
    else begin
      open_q  <= write_instruction_i || (open_q && !write_buffer_i && !clear_i);
      loose_q <= loose_q || (open_q && clear_i);
    end
  end

  always @(posedge clk_i) begin
    if (begins)    walk_q <= {PAGE_WIDTH+1{1'b0}};
    else if (pass) walk_q <= walk_q + 1'b1;

    if (!rst_ni || (clear_i && may_own)) returning_q <= 1'b1;
    else if (at_end)                     returning_q <= 1'b0;

    if (!rst_ni)                    all_q <= 1'b1;
    else if (returning_q && at_end) all_q <= 1'b0;

    if (new_page) lost_q <= at_end;
    if (get) page_q <= walk_q[PAGE_WIDTH-1:0];
    if (get && write_index_i == 5'd0) first_q <= walk_q[PAGE_WIDTH-1:0];
  end

  initial walk_q = {PAGE_WIDTH+1{1'b0}}; // tulle_lutram says why

  tulle_lutram #(
    .WIDTH (1 + BUFFER_WIDTH),
    .DEPTH (PAGES)
  ) u_owners (
    .clk_i   (clk_i),
    .we_i    (get || give),
    .waddr_i (walk_q[PAGE_WIDTH-1:0]),
    .wdata_i ({get, index}),
    .raddr_i (walk_q[PAGE_WIDTH-1:0]),
    .rdata_o ({owned, owner})
  );

  wire [9:0]            read_page = read_entry_i >> PAGE_SHIFT;
  wire [PAGE_WIDTH-1:0] next_page;
  // For a buffer's first page, the previous page belongs to another buffer, and its link is never read.
  tulle_lutram #(
    .WIDTH (PAGE_WIDTH),
    .DEPTH (PAGES)
  ) u_next (
    .clk_i   (clk_i),
    .we_i    (get),
    .waddr_i (page_q),
    .wdata_i (walk_q[PAGE_WIDTH-1:0]),
    .raddr_i (read_page[PAGE_WIDTH-1:0]),
    .rdata_o (next_page)
  );

  wire [9:0] offset   = read_entry_i & {5'd0, OFFSET};
  wire [9:0] offset_d = (offset + 10'd1) & {5'd0, OFFSET};
  wire [9:0] page_d   = offset_d == 10'd0 ? {{10-PAGE_WIDTH{1'b0}}, next_page} : read_page;

  assign next_o = page_d << PAGE_SHIFT | offset_d;

  // -- Memories --------------------------------------------------------------------------------------------

  wire [9:0] write_page  = {{10-PAGE_WIDTH{1'b0}}, new_page ? walk_q[PAGE_WIDTH-1:0] : page_q};
  wire [9:0] write_entry = write_page << PAGE_SHIFT | {5'd0, write_index_i & OFFSET};

  wire [PAGE_WIDTH-1:0] look_page;

  tulle_lutram #(
    .WIDTH (1 + PAGE_WIDTH + PACKET),
    .DEPTH (BUFFERS)
  ) u_packet (
    .clk_i   (clk_i),
    .we_i    (write_buffer_i),
    .waddr_i (index),
    .wdata_i ({write_single_i, first_q, write_packet_i}),
    .raddr_i (look_buffer_i),
    .rdata_o ({look_single_o, look_page, packet_o})
  );

  wire [9:0] look_page10 = {{10-PAGE_WIDTH{1'b0}}, look_page};

  assign look_entry_o = look_page10 << PAGE_SHIFT;

  tulle_lutram #(
    .WIDTH (SEQUENCE),
    .DEPTH (BUFFERS)
  ) u_sequence (
    .clk_i   (clk_i),
    .we_i    (write_buffer_i),
    .waddr_i (index),
    .wdata_i (write_sequence_i),
    .raddr_i (read_buffer_i),
    .rdata_o (sequence_o)
  );

  tulle_lutram #(
    .WIDTH (OPERANDS),
    .DEPTH (PAGES * PAGE)
  ) u_register_file (
    .clk_i   (clk_i),
    .we_i    (write_instruction_i && !full_o),
    .waddr_i (write_entry[ENTRY_WIDTH-1:0]),
    .wdata_i (write_operands_i),
    .raddr_i (read_entry_i[ENTRY_WIDTH-1:0]),
    .rdata_o (operands_o)
  );

  // A small store does not use all bits.
  wire unused = &{1'b0, buffer_i, read_entry_i, read_page, write_entry};

  tulle_assert #(
    .MESSAGE("an instruction is written when a page was looked for, and within the buffer")
  ) u_write_in_time (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!write_instruction_i || (ready_o && {1'b0, write_index_i} < DEPTH[5:0]))
  );

endmodule

`default_nettype wire
