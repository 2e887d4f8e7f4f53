// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_fetch: the program buffer. It reads a program's records (64 bytes each; record 0 is the header) ahead
// of the command processor, and keeps the records that an open loop still needs.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   start_i, base_i           one cycle: a program begins at this address, a multiple of 64
//   limit_i                   records below this number may be fetched; a higher number may have been fetched before.
//                             Of a packed program lines. With PACKED at most 16 until packed_i is known
//   packed_i, last_i          with PACKED: the header is known and says that the program is packed; the number of its last
//                             operation
//   stop_i                    issue no further requests
//   next_i                    the low bits of the number of the requested record
//   keep_i                    the low bits of the lowest record number still needed; it never decreases
//   available_o               record next_i is available
//   read_i                    read record next_i: record_o holds it from the next cycle until the next read
//   failed_o, decode_error_o  the records from next_i on cannot be read, because of DECERR or else SLVERR; reported
//                             only when all earlier records have been read
//   short_o                   a packed program ends before record next_i
//   rest_o                    a line of a packed program follows that no record so far has a word of
//   idle_o                    no request is outstanding
//   request_*, data_*         a client of tulle_read_port: bursts of at most 512 bytes within 512-byte blocks
//
// Parameters
//   MEM                       bits of a memory beat: 64, 128, 256, 512
//   BUFFER                    records that the buffer holds, a power of two, 8..256
//   PACKED                    1: programs may be packed
//
// Latency: record_o is valid one cycle after read_i. A record may be read in the cycle after its last beat. A request
// takes three cycles to choose. The buffer has room for its data when a request is made.

`default_nettype none

`include "tulle_isa.vh"

module tulle_command_fetch #(
  parameter MEM    = 512,
  parameter BUFFER = 64,
  parameter PACKED = 0
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,

  input  wire                    start_i,
  input  wire [63:0]             base_i,
  input  wire [`TULLE_PLACE_WIDTH:0] limit_i,
  input  wire                    packed_i,
  input  wire [`TULLE_PLACE_WIDTH-1:0] last_i,
  input  wire                    stop_i,
  input  wire [$clog2(BUFFER):0] next_i,
  input  wire [$clog2(BUFFER):0] keep_i,
  output wire                    available_o,
  input  wire                    read_i,
  output wire [511:0]            record_o,
  output wire                    failed_o,
  output wire                    decode_error_o,
  output wire                    short_o,
  output wire                    rest_o,
  output wire                    idle_o,

  output wire                    request_valid_o,
  input  wire                    request_ready_i,
  output wire [63:0]             request_address_o,
  output wire [7:0]              request_beats_o,
  input  wire                    data_valid_i,
  input  wire [MEM-1:0]          data_i,
  input  wire [1:0]              data_error_i
);

  tulle_require #(
    .LEGAL   (MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512),
    .MESSAGE ("tulle_command_fetch: MEM must be 64, 128, 256 or 512")
  ) u_require_mem_64_128_256_or_512 ();

  tulle_require #(
    .LEGAL   (BUFFER >= 8 && BUFFER <= 256 && (BUFFER & (BUFFER - 1)) == 0),
    .MESSAGE ("tulle_command_fetch: BUFFER must be a power of two from 8 to 256")
  ) u_require_buffer_power_of_two_8_to_256 ();

  localparam NUMBER = `TULLE_PLACE_WIDTH + 1; // bits of a record's number, or of how many there are
  localparam PLACE = $clog2(BUFFER);  // bits of a place in the buffer
  localparam WORDS = 512 / MEM;       // beats of a record
  localparam SHIFT = $clog2(WORDS);
  localparam QUEUE = 16;              // lines that wait to become records, and the records that are never packed
  localparam COUNT = (PACKED != 0 && PLACE < 5) ? 6 : PLACE + 1; // bits of a number of lines, of which few are compared

  // Record numbers are compared modulo twice the buffer size, because no two in use are further apart than BUFFER.

  // -- Requests ------------------------------------------------------------------------------------------

  localparam [1:0] MEASURE = 2'd0;
  localparam [1:0] CHOOSE  = 2'd1;
  localparam [1:0] OFFER   = 2'd2;

  reg [1:0]     state_q;
  reg           on_q;       // a program is being fetched
  reg [57:0]    base_q;     // of the program, in records
  reg [57:0]    address_q;  // of the next request, in records, two cycles after fetched_q
  reg [2:0]     in_block_q; // its lowest bits, without that delay
  reg [NUMBER-1:0] fetched_q;  // records below this number were requested
  reg [8:0]     room_q;
  reg [3:0]     want_q;     // records up to the end of the block or of the program
  reg           starving_q; // all requested records have been used
  reg [3:0]     count_q;    // records of the request

  wire [8:0]     free;       // there is room for so many lines
  wire           early = fetched_q[NUMBER-1:4] == {NUMBER-4{1'b0}}; // the next request is for records that are never packed
  wire           queues = PACKED != 0 && packed_i && !early;        // or for lines that wait to become records
  wire [NUMBER-1:0] bound = (PACKED != 0 && packed_i && early && limit_i[NUMBER-1:4] != {NUMBER-4{1'b0}}) ? QUEUE[NUMBER-1:0] : limit_i;
  wire [NUMBER-1:0] left = bound - fetched_q;
  wire [3:0]     block = 4'd8 - {1'b0, in_block_q};
  wire [8:0]     want  = {5'd0, want_q};
  wire           taken = request_valid_o && request_ready_i;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      on_q    <= 1'b0;
      state_q <= MEASURE;
    end else begin
      on_q <= start_i || on_q;
      case (state_q)
        MEASURE: if (on_q && !stop_i) state_q <= CHOOSE;
        CHOOSE:  state_q <= (!stop_i && (room_q >= want || starving_q) && room_q != 9'd0 && want != 9'd0) ? OFFER : MEASURE;
        default: if (taken) state_q <= MEASURE;
      endcase
      if (start_i) state_q <= MEASURE;
    end
  end

  always @(posedge clk_i) begin
    if (state_q == MEASURE) begin
      room_q     <= free;
      want_q     <= left[NUMBER-1] ? 4'd0 : (left < {{NUMBER-4{1'b0}}, block}) ? left[3:0] : block;
      starving_q <= !queues && next_i == fetched_q[PLACE:0];
    end
    if (state_q == CHOOSE) count_q <= (room_q < want) ? room_q[3:0] : want_q;
    if (start_i) begin
      base_q     <= base_i[63:6];
      in_block_q <= base_i[8:6];
      fetched_q  <= {NUMBER{1'b0}};
    end else if (taken) begin
      in_block_q <= in_block_q + count_q[2:0];
      fetched_q  <= fetched_q + {{NUMBER-4{1'b0}}, count_q};
    end
    // Two states lie between requests, and the address stays stable while it is offered.
    address_q <= base_q + {{58-NUMBER{1'b0}}, fetched_q};
  end

  assign request_valid_o   = state_q == OFFER;
  assign request_address_o = {address_q, 6'd0};
  assign request_beats_o   = ({4'd0, count_q} << SHIFT) - 8'd1;

  // -- Data ----------------------------------------------------------------------------------------------

  reg [COUNT-1:0] arrived_q; // lines whose beats have come
  reg [PLACE:0] landed_q;  // records that are there
  reg           failed_q;
  reg           decode_q;

  wire failing = data_valid_i && data_error_i[1];
  wire last_word;
  wire record;     // one more record is there from the next cycle on

  always @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      arrived_q <= {COUNT{1'b0}};
      landed_q  <= {PLACE+1{1'b0}};
      failed_q  <= 1'b0;
    end else begin
      if (data_valid_i && last_word) arrived_q <= arrived_q + 1'b1;
      if (record) landed_q <= landed_q + 1'b1;
      failed_q <= failed_q || failing;
    end
    if (!failed_q) decode_q <= data_error_i[0];
  end

  wire settled; // the next record is not there
  wire [PLACE:0] left_over = BUFFER[PLACE:0] - (fetched_q[PLACE:0] - keep_i);

  genvar w;
  generate
    if (WORDS == 1) begin : gen_whole
      assign last_word = 1'b1;
    end else begin : gen_words
      reg [SHIFT-1:0] word_q;

      always @(posedge clk_i) begin
        if (!rst_ni || start_i) word_q <= {SHIFT{1'b0}};
        else if (data_valid_i)  word_q <= word_q + 1'b1;
      end

      assign last_word = &word_q;
    end

    if (PACKED == 0) begin : gen_full
      assign free     = {{8-PLACE{1'b0}}, left_over};
      assign record   = data_valid_i && last_word && !failed_q && !failing;
      assign short_o  = 1'b0;
      assign rest_o   = 1'b0;
      assign failed_o = failed_q && settled;

      for (w = 0; w < WORDS; w = w + 1) begin : gen_bank
        wire here;

        if (WORDS == 1) begin : gen_always
          assign here = 1'b1;
        end else begin : gen_in_turn
          localparam [SHIFT-1:0] TURN = w;
          assign here = gen_words.word_q == TURN;
        end

        tulle_block_ram #(
          .WIDTH (MEM),
          .DEPTH (BUFFER)
        ) u_records (
          .clk_i   (clk_i),
          .we_i    (data_valid_i && here),
          .waddr_i (arrived_q[PLACE-1:0]),
          .wdata_i (data_i),
          .re_i    (read_i),
          .raddr_i (next_i[PLACE-1:0]),
          .rdata_o (record_o[MEM*w +: MEM])
        );
      end

      wire unused_packed = &{1'b0, packed_i, last_i, queues};
    end else begin : gen_packed
      reg              first_q; // the next line is one of those that are never packed
      wire [4:0]       used;
      wire             starved;
      wire             rest;
      wire             all = fetched_q == limit_i && idle_o;
      wire [4:0]       waiting = {!fetched_q[4], fetched_q[3:0]} - used; // of lines behind the first QUEUE
      wire [7:0]       write;
      wire [PLACE-1:0] place;
      wire [63:0]      part;
      wire             made;
      wire             full   = first_q || !packed_i; // the line is a record
      wire             direct = data_valid_i && full;
      wire             line   = data_valid_i && last_word && !failed_q && !failing;

      always @(posedge clk_i) begin
        if (!rst_ni || start_i)                                 first_q <= 1'b1;
        else if (data_valid_i && last_word && &arrived_q[3:0]) first_q <= 1'b0;
      end

      assign free     = queues ? {4'd0, QUEUE[4:0] - waiting} : {{8-PLACE{1'b0}}, left_over};
      assign record   = made || (line && direct);
      assign failed_o = failed_q && settled && (full || starved);
      assign short_o  = packed_i && !failed_q && settled && starved && all;
      assign rest_o   = packed_i && (rest || !all);

      tulle_command_unpack #(
        .MEM    (MEM),
        .LINES  (QUEUE),
        .BUFFER (BUFFER)
      ) u_unpack (
        .clk_i        (clk_i),
        .rst_ni       (rst_ni),
        .start_i      (start_i),
        .line_valid_i (data_valid_i && !full),
        .line_i       (data_i),
        .line_end_i   (line && !full),
        .last_i       (last_i),
        .keep_i       (keep_i),
        .used_o       (used),
        .starved_o    (starved),
        .rest_o       (rest),
        .write_o      (write),
        .place_o      (place),
        .part_o       (part),
        .record_o     (made)
      );

      for (w = 0; w < 8; w = w + 1) begin : gen_part
        wire here;

        if (WORDS == 1) begin : gen_always
          assign here = 1'b1;
        end else begin : gen_in_turn
          localparam integer BEAT = w * 64 / MEM;
          assign here = gen_words.word_q == BEAT[SHIFT-1:0];
        end

        tulle_block_ram #(
          .WIDTH (64),
          .DEPTH (BUFFER)
        ) u_records (
          .clk_i   (clk_i),
          .we_i    (write[w] || (direct && here)),
          .waddr_i (direct ? arrived_q[PLACE-1:0] : place),
          .wdata_i (direct ? data_i[w*64%MEM +: 64] : part),
          .re_i    (read_i),
          .raddr_i (next_i[PLACE-1:0]),
          .rdata_o (record_o[64*w +: 64])
        );
      end
    end
  endgenerate

  assign settled        = next_i == landed_q;
  assign available_o    = !settled;
  assign decode_error_o = decode_q;
  assign idle_o         = arrived_q == fetched_q[COUNT-1:0] && state_q != OFFER;

  tulle_assert #(
    .MESSAGE("only a record that is there is read")
  ) u_available (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!read_i || available_o)
  );

  tulle_assert #(
    .MESSAGE("only what was asked for comes")
  ) u_expected (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!data_valid_i || arrived_q != fetched_q[COUNT-1:0])
  );

  wire unused = &{1'b0, base_i[5:0]};

endmodule

`default_nettype wire
