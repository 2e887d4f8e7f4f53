// SPDX-License-Identifier: Apache-2.0
//
// tulle_bank_reader: takes the bursts that readers of memory ask of the activation bank, and puts their beats among those of the read
// port, on the same wires to the readers.
//
// An address with bit 63 is in the bank; all others go on to the read port. The last reader is the load engine. Its bursts may be of
// both kinds, and their data keep the order of its requests: a burst of the bank waits for the data of those of memory before it,
// and holds back the data of those behind it, which are requested meanwhile. The others, the readers of partial sums and operands, have
// bursts of one kind under way at a time, so they need no order. They take turns burst by burst, the lowest first, and go before the
// load engine, beat by beat: they need few beats a cycle, and what waits for them is at the end of the array.
//
// Nothing can wait for ever: the bank waits for memory only where memory's data come before, and readers take all beats.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset, together with the readers' and with the flush of the read port
//   request_valid_i, request_ready_o, request_address_i, request_beats_i
//                                 bursts of the readers: bit r or word r belongs to reader r. A burst has request_beats_i + 1 beats,
//                                 and does not cross a multiple of 1024 bytes
//   port_valid_o, port_ready_i    those that are for the read port
//   data_valid_i, data_last_i     the read port delivers a beat to the load engine; it is the last of its burst
//   read_valid_o, read_ready_i, read_word_o
//                                 to the bank (tulle_bank), whose word follows two cycles later
//   local_valid_o, local_last_o   that word goes to this reader; it is the last of its burst
//   hold_o                        memory's beats for the load engine must wait
//
// Parameters
//   MEM                           bits of a beat
//   WORD                          bits of a word's number in the bank
//   READERS                       readers, the load engine included
//   OUTSTANDING                   maximum number of bursts of memory under way
//   AHEAD                         bursts of the bank that the load engine may ask for ahead
//
// Latency: local_valid_o three cycles after a request was taken. A beat a cycle, without a gap between bursts. Behind a burst of
// memory the load engine's first beat of the bank has local_valid_o two cycles after data_valid_i.

`default_nettype none

module tulle_bank_reader #(
  parameter MEM         = 512,
  parameter WORD        = 11,
  parameter READERS     = 4,
  parameter OUTSTANDING = 32,
  parameter AHEAD       = 32
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,

  input  wire [READERS-1:0]    request_valid_i,
  output wire [READERS-1:0]    request_ready_o,
  input  wire [READERS*64-1:0] request_address_i,
  input  wire [READERS*8-1:0]  request_beats_i,
  output wire [READERS-1:0]    port_valid_o,
  input  wire [READERS-1:0]    port_ready_i,

  input  wire                  data_valid_i,
  input  wire                  data_last_i,

  output wire                  read_valid_o,
  input  wire                  read_ready_i,
  output wire [WORD-1:0]       read_word_o,
  output wire [READERS-1:0]    local_valid_o,
  output wire                  local_last_o,
  output wire                  hold_o
);

  localparam LINE   = $clog2(MEM / 8);
  localparam BEAT   = $clog2(1024) - LINE; // bits of the place of a beat in its 1024 bytes
  localparam LOAD   = READERS - 1;         // the load engine
  localparam NUMBER = $clog2(OUTSTANDING + 2);
  localparam INDEX  = $clog2((LOAD > 1) ? LOAD : 2);

  tulle_require #(
    .LEGAL   (MEM == 8 << LINE && LINE < 10 && BEAT <= WORD && READERS >= 2),
    .MESSAGE ("tulle_bank_reader: MEM must be a power of two below 8192, the bank at least 1024 bytes, READERS at least 2")
  ) u_require_bank_at_least_1024_bytes_and_readers_at_least_2 ();

  // -- The kind of each burst --------------------------------------------------------------------------------------

  wire [READERS-1:0] to_bank;
  wire [READERS-1:0] local_ready;

  genvar r;
  generate
    for (r = 0; r < READERS; r = r + 1) begin : gen_reader
      assign to_bank[r] = request_address_i[64*r+63];
    end
  endgenerate

  assign port_valid_o    = request_valid_i & ~to_bank;
  assign request_ready_o = (to_bank & local_ready) | (~to_bank & port_ready_i);

  // -- Readers of partial sums and operands: one burst at a time -----------------------------------------------------

  reg              reads_q;     // a burst is being read
  reg  [LOAD-1:0]  reader_q;
  reg  [WORD-1:0]  word_q;      // the next one
  reg  [BEAT-1:0]  left_q;      // beats behind it
  wire             moves;
  wire             last      = left_q == {BEAT{1'b0}};
  wire             takes     = !reads_q || (moves && last);
  wire [LOAD-1:0]  wanted    = request_valid_i[LOAD-1:0] & to_bank[LOAD-1:0];
  wire [LOAD-1:0]  grant;
  wire [INDEX-1:0] index;
  wire [BEAT-1:0]  next      = word_q[BEAT-1:0] + 1'b1;

  tulle_lowest #(
    .PORTS (LOAD)
  ) u_grant (
    .mask_i   (wanted),
    .lowest_o (grant),
    .index_o  (index)
  );

  always @(posedge clk_i) begin
    if (!rst_ni)    reads_q <= 1'b0;
    else if (takes) reads_q <= wanted != {LOAD{1'b0}};
    if (takes) begin
      reader_q <= grant;
      word_q   <= request_address_i[64*index+LINE +: WORD];
      left_q   <= request_beats_i[8*index +: BEAT];
    end else if (moves) begin
      word_q[BEAT-1:0] <= next;
      left_q           <= left_q - 1'b1;
    end
  end

  assign local_ready[LOAD-1:0] = grant & {LOAD{takes}};

  // -- The load engine: bursts in the order of its requests ----------------------------------------------------------
  // Each burst of the bank has the number of the burst of memory that follows it.

  reg  [NUMBER-1:0] asked_q;      // bursts of memory that were requested
  reg  [NUMBER-1:0] delivered_q;  // and whose data were delivered
  reg               from_bank_q;  // the beat that is delivered is the bank's
  wire              delivers = data_valid_i && data_last_i && !from_bank_q;
  wire [NUMBER-1:0] delivered = delivered_q + {{NUMBER-1{1'b0}}, delivers};
  wire              load_valid;
  wire [WORD-1:0]   load_word;
  wire [BEAT-1:0]   load_beats;
  wire [NUMBER-1:0] load_number;
  reg  [BEAT-1:0]   sent_q;       // its beats that were read
  wire              load_moves;
  wire              load_last  = sent_q == load_beats;
  wire              load_turn  = load_valid && load_number == delivered;
  wire [BEAT-1:0]   load_place = load_word[BEAT-1:0] + sent_q;

  tulle_fifo #(
    .WIDTH (WORD + BEAT + NUMBER),
    .DEPTH (AHEAD)
  ) u_ahead (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (request_valid_i[LOAD] && to_bank[LOAD]),
    .ready_o (local_ready[LOAD]),
    .data_i  ({request_address_i[64*LOAD+LINE +: WORD], request_beats_i[8*LOAD +: BEAT], asked_q}),
    .valid_o (load_valid),
    .ready_i (load_moves && load_last),
    .data_o  ({load_word, load_beats, load_number})
  );

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      asked_q     <= {NUMBER{1'b0}};
      delivered_q <= {NUMBER{1'b0}};
      sent_q      <= {BEAT{1'b0}};
    end else begin
      asked_q     <= asked_q + {{NUMBER-1{1'b0}}, port_valid_o[LOAD] && port_ready_i[LOAD]};
      delivered_q <= delivered;
      if (load_moves) sent_q <= load_last ? {BEAT{1'b0}} : sent_q + 1'b1;
    end
  end

  // -- To the bank, and from it ------------------------------------------------------------------------------------

  reg  [READERS-1:0] first_q;   // the reader whose word is being read
  reg                first_last_q;
  reg  [READERS-1:0] second_q;  // whose word is on its way to the wires of data
  reg                second_last_q;
  wire [BEAT-1:0]    read_place = reads_q ? word_q[BEAT-1:0] : load_place;

  assign read_valid_o = reads_q || load_turn;
  assign moves        = reads_q && read_ready_i;
  assign load_moves   = !reads_q && load_turn && read_ready_i;

  generate
    if (WORD > BEAT) begin : gen_blocks
      assign read_word_o = {reads_q ? word_q[WORD-1:BEAT] : load_word[WORD-1:BEAT], read_place};
    end else begin : gen_one_block
      assign read_word_o = read_place;
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q     <= {READERS{1'b0}};
      second_q    <= {READERS{1'b0}};
      from_bank_q <= 1'b0;
    end else begin
      first_q     <= {load_moves, reader_q & {LOAD{moves}}};
      second_q    <= first_q;
      from_bank_q <= second_q[LOAD];
    end
  end

  always @(posedge clk_i) begin
    first_last_q  <= reads_q ? last : load_last;
    second_last_q <= first_last_q;
  end

  assign local_valid_o = second_q;
  assign local_last_o  = second_last_q;

  // While a word is on its way to the wires, local_valid_o itself keeps memory's beats away.
  assign hold_o = load_turn || first_q[LOAD];

  // -- Rules -------------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE ("a burst of the bank stays within 1024 bytes")
  ) u_burst_within_block (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(request_valid_i[LOAD] && to_bank[LOAD]) ||
              {8'd0, request_beats_i[8*LOAD +: 8]} + {{16-BEAT{1'b0}}, request_address_i[64*LOAD+LINE +: BEAT]} < 16'd1 << BEAT)
  );

  tulle_assert #(
    .MESSAGE ("data of memory do not come before those of the bank that were asked for before them")
  ) u_order_is_kept (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(data_valid_i && !from_bank_q) || !load_valid || load_number != delivered_q)
  );

  wire unused = &{1'b0, request_address_i, request_beats_i};

endmodule

`default_nettype wire
