// SPDX-License-Identifier: Apache-2.0
//
// tulle_load: the load engine. It reads runs and planes of granules (8 bytes) from memory, or generates zeros, packs
// them contiguously, and writes them into the storage units of the selected rows, wrapping around at the unit's size.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset (also the soft reset, together with the read port's
//                                  flush)
//   abort_i                        issue no further requests and complete no operation until reset
//   op_valid_i, op_ready_o         operations:
//     op_rows_i                    bit r: write to row r's unit
//     op_zero_i                    write zeros instead of reading
//     op_fill_i                    with FILL: the value that is written instead of zeros, in the lower bits
//     op_address_i                 address of run 0 of plane 0
//     op_length_i                  bytes of a run
//     op_runs_i, op_planes_i       runs of a plane, planes
//     op_run_pitch_i, op_plane_pitch_i
//                                  signed distance of runs, and of planes
//     op_unit_i                    byte address in the units
//     op_tag_i                     returned with the completion or the error
//   request_*, data_*              a client of tulle_read_port
//   write_o, write_rows_o          a write, and the units to write
//   write_enable_o, write_word_o, write_data_o
//                                  for each bank (tulle_storage_unit): whether it is written, its word, and the
//                                  granule
//   done_valid_o, done_ready_i, done_tag_o
//                                  a completed operation: a read of a unit three cycles later sees its data, which is before
//                                  anybody who waits for its token can read
//   bytes_valid_o, bytes_o         one cycle: bytes that an operation has read from memory, with its last beat; else 0
//   error_o, error_code_o, error_tag_o
//                                  one cycle: memory answered with an error; reported after the completions of all
//                                  earlier operations
//   idle_o                         no operation is in the engine
//
// Parameters
//   MEM                            bits of a beat of memory
//   BUS                            bits of a beat of the row bus
//   ROWS                           rows
//   UNIT_BYTES                     bytes of a storage unit
//   OUTSTANDING                    maximum number of bursts requested ahead of their data
//   TAG                            bits of a tag
//   FILL                           bits of a value that may be written instead of zeros, 8 or 16; 0: only zeros
//   BURST                          maximum bytes of a burst; no burst crosses a multiple of it
//   LOCAL                          1: what is read from addresses with bit 63 is not from memory (tulle_bank_reader)
//
// Latency: a burst is requested three cycles after its operation was taken. A beat is on write_o two cycles after
// data_valid_i; done_valid_o comes a cycle after the last one. A burst a cycle, a run a cycle, an operation every
// other cycle, a beat a cycle. Up to 16 operations are in the engine, in order.
// Limits: address, length, pitches and unit address are multiples of 8; length, runs and planes are at least 1; an
// operation writes at most UNIT_BYTES. A read that follows zeros is requested when the zeros are written. After an
// error the engine only takes the data that it has requested, until reset.

`default_nettype none

`include "tulle_isa.vh"

module tulle_load #(
  parameter MEM         = 512,
  parameter BUS         = 256,
  parameter ROWS        = 2,
  parameter UNIT_BYTES  = 65536,
  parameter OUTSTANDING = 32,
  parameter TAG         = `TULLE_TAG_WIDTH,
  parameter FILL        = 0,
  parameter BURST       = 1024,
  parameter LOCAL       = 0
) (
  input  wire                clk_i,
  input  wire                rst_ni,
  input  wire                abort_i,

  input  wire                op_valid_i,
  output wire                op_ready_o,
  input  wire [ROWS-1:0]     op_rows_i,
  input  wire                op_zero_i,
  input  wire [15:0]         op_fill_i,
  input  wire [63:0]         op_address_i,
  input  wire [20:0]         op_length_i,
  input  wire [15:0]         op_runs_i,
  input  wire [15:0]         op_planes_i,
  input  wire [31:0]         op_run_pitch_i,
  input  wire [31:0]         op_plane_pitch_i,
  input  wire [19:0]         op_unit_i,
  input  wire [TAG-1:0]      op_tag_i,

  output wire                request_valid_o,
  input  wire                request_ready_i,
  output wire [63:0]         request_address_o,
  output wire [7:0]          request_beats_o,
  input  wire                data_valid_i,
  input  wire [MEM-1:0]      data_i,
  input  wire                data_last_i,
  input  wire [1:0]          data_error_i,

  output wire                write_o,
  output wire [ROWS-1:0]     write_rows_o,
  output wire [((MEM > BUS) ? MEM : BUS)/64-1:0] write_enable_o,
  output wire [((MEM > BUS) ? MEM : BUS)/64*$clog2(UNIT_BYTES/((MEM > BUS) ? MEM : BUS)*8)-1:0] write_word_o,
  output wire [((MEM > BUS) ? MEM : BUS)-1:0] write_data_o,

  output wire                done_valid_o,
  input  wire                done_ready_i,
  output wire [TAG-1:0]      done_tag_o,

  output wire                bytes_valid_o,
  output wire [40:0]         bytes_o,

  output wire                error_o,
  output wire [15:0]         error_code_o,
  output wire [TAG-1:0]      error_tag_o,

  output wire                idle_o
);

  localparam OPS       = 16;                       // operations in the engine
  localparam LANES     = MEM / 64;                 // granules of a beat
  localparam LANE_BITS = $clog2(LANES);
  localparam LANE      = (LANES > 1) ? LANE_BITS : 1;
  localparam BANKS     = ((MEM > BUS) ? MEM : BUS) / 64;
  localparam BANK_BITS = $clog2(BANKS);
  localparam BANK      = (BANKS > 1) ? BANK_BITS : 1;
  localparam WORDS     = UNIT_BYTES / 8 / BANKS;
  localparam WORD      = $clog2(WORDS);
  localparam PLACE     = $clog2(UNIT_BYTES / 8);   // of a granule in a unit
  localparam PART      = $clog2(BURST / 8);        // of a granule in a burst
  localparam BEATS     = PART - LANE_BITS;         // bits of the beats of a burst, minus 1
  localparam LANE_MAX  = LANES - 1;
  localparam [LANE-1:0] LANE_LAST = LANE_MAX[LANE-1:0];

  tulle_require #(
    .LEGAL   ((MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512) &&
               (BUS == 64 || BUS == 128 || BUS == 256 || BUS == 512)),
    .MESSAGE ("tulle_load: MEM and BUS must be 64, 128, 256 or 512")
  ) u_require_mem_and_bus_64_128_256_or_512 ();

  tulle_require #(
    .LEGAL   (UNIT_BYTES == 1 << $clog2(UNIT_BYTES) && UNIT_BYTES >= 1024 && UNIT_BYTES <= 1048576),
    .MESSAGE ("tulle_load: UNIT_BYTES must be a power of two, 1024..1048576")
  ) u_require_unit_bytes_power_of_two_1024_to_1048576 ();

  tulle_require #(
    .LEGAL   (BURST == 1 << $clog2(BURST) && BURST >= MEM / 4 && BURST <= 4096 && BURST <= 16 * MEM),
    .MESSAGE ("tulle_load: BURST must be a power of two, 2..128 beats, at most 4096 bytes")
  ) u_require_burst_power_of_two_2_to_128_beats_to_4096_bytes ();

  tulle_require #(
    .LEGAL   (OUTSTANDING >= 1 && OUTSTANDING <= 256 && ROWS >= 1 && TAG >= 1),
    .MESSAGE ("tulle_load: OUTSTANDING must be 1..256, ROWS and TAG at least 1")
  ) u_require_outstanding_1_to_256_rows_and_tag_at_least_1 ();

  reg stopped_q; // an operation failed, or abort_i was given
  reg failing_q; // an operation failed, and earlier ones are not all reported

  // -- Runs of an operation ------------------------------------------------------------------------------------

  reg         runs_valid_q;
  reg         zero_q;
  reg  [60:0] plane_q; // the granule at which the plane begins
  reg  [60:0] run_q;   // the granule at which the run begins
  reg  [17:0] length_q; // granules of a run, minus 1
  reg  [15:0] runs_q;
  reg  [15:0] runs_left_q; // runs left in the plane after this one
  reg  [15:0] planes_left_q;
  reg         plane_ends_q; // runs_left_q is 0
  reg         planes_end_q; // planes_left_q is 0
  reg  [28:0] run_pitch_q;
  reg  [28:0] plane_pitch_q;

  wire        rows_ready;
  wire        tags_ready;
  assign op_ready_o = !runs_valid_q && rows_ready && tags_ready && !stopped_q;
  wire        start = op_valid_i && op_ready_o;

  wire        bursts_take; // the next stage takes the run
  wire        op_ends = plane_ends_q && planes_end_q;

  wire [15:0] runs_left_d   = (runs_valid_q ? (plane_ends_q ? runs_q : runs_left_q) : op_runs_i) - 16'd1;
  wire [15:0] planes_left_d = (runs_valid_q ? planes_left_q : op_planes_i) - 16'd1;

  // One adder computes the beginning of the operation, the next run and the next plane.
  wire [60:0] start_from = !runs_valid_q ? op_address_i[63:3] : plane_ends_q ? plane_q : run_q;
  wire [28:0] pitch      = (plane_ends_q ? plane_pitch_q : run_pitch_q) & {29{runs_valid_q}};
  wire [60:0] next_start = {{32{pitch[28]}}, pitch} + start_from; // operand order for the carry chain

  always @(posedge clk_i) begin
    if (!rst_ni)                     runs_valid_q <= 1'b0;
    else if (start)                  runs_valid_q <= 1'b1;
    else if (bursts_take && op_ends) runs_valid_q <= 1'b0;
  end

  always @(posedge clk_i) begin
    if (start) begin
      zero_q        <= op_zero_i;
      length_q      <= op_length_i[20:3] - 18'd1;
      runs_q        <= op_runs_i;
      run_pitch_q   <= op_run_pitch_i[31:3];
      plane_pitch_q <= op_plane_pitch_i[31:3];
    end
    if (start || bursts_take) begin
      run_q        <= next_start;
      runs_left_q  <= runs_left_d;
      plane_ends_q <= runs_left_d == 16'd0;
    end
    if (start || (bursts_take && plane_ends_q)) begin
      plane_q       <= next_start;
      planes_left_q <= planes_left_d;
      planes_end_q  <= planes_left_d == 16'd0;
    end
  end

  // -- Bursts of a run -----------------------------------------------------------------------------------------

  reg         bursts_valid_q;
  reg         burst_zero_q;
  reg         burst_last_q; // the burst belongs to the operation's last run
  reg  [60:0] address_q;
  reg  [17:0] run_left_q;       // granules left of the run, minus 1

  reg         request_valid_q;
  reg  [60:0] request_address_q;
  reg  [BEATS-1:0] request_beats_q;
  reg         zeros_q;      // the newest burst is of zeros

  wire        pieces_ready;
  wire        piece_valid;   // a burst description is waiting
  reg         piece_valid_q; // a burst is being received

  wire [PART-1:0]   first_at = address_q[PART-1:0];
  wire [18:0]       ahead    = {1'b0, run_left_q} + {{19-PART{1'b0}}, first_at};
  wire              run_ends = ahead[18:PART] == {19-PART{1'b0}};
  wire [PART-1:0]   end_at   = run_ends ? ahead[PART-1:0] : {PART{1'b1}};
  wire [BEATS-1:0]  beats    = end_at[PART-1 -: BEATS] - first_at[PART-1 -: BEATS]; // - 1
  wire [17-PART:0]  lines    = ahead[17:PART] - 1'b1; // granule blocks left after this burst

  // The read port delivers data at once, on the path that zeros use, so no read is requested before earlier zeros are
  // written.
  wire        behind_zeros = zeros_q && !burst_zero_q && (piece_valid || piece_valid_q);
  wire        piece        = bursts_valid_q && pieces_ready && !behind_zeros && !stopped_q &&
                             (burst_zero_q || !request_valid_q || request_ready_i);

  assign bursts_take = runs_valid_q && (!bursts_valid_q || (piece && run_ends));

  // The next run, or the part after the next multiple of BURST.
  wire             fresh_run = !bursts_valid_q || run_ends;
  wire [60-PART:0] from_line = fresh_run ? run_q[60:PART] : address_q[60:PART];
  wire [60-PART:0] to_line   = from_line + {{60-PART{1'b0}}, !fresh_run};

  always @(posedge clk_i) begin
    if (!rst_ni) {bursts_valid_q, request_valid_q, zeros_q} <= 3'd0;
    else begin
      if (bursts_take)            bursts_valid_q <= 1'b1;
      else if (piece && run_ends) bursts_valid_q <= 1'b0;
      if (piece && !burst_zero_q) request_valid_q <= 1'b1;
      else if (request_ready_i)   request_valid_q <= 1'b0;
      if (piece)                  zeros_q <= burst_zero_q;
    end
  end

  always @(posedge clk_i) begin
    if (bursts_take || piece) begin
      address_q  <= {to_line, fresh_run ? run_q[PART-1:0] : {PART{1'b0}}};
      run_left_q <= fresh_run ? length_q : {lines, ahead[PART-1:0]};
    end
    if (bursts_take) begin
      burst_zero_q <= zero_q;
      burst_last_q <= op_ends;
    end
    if (piece && !burst_zero_q) begin
      request_address_q <= address_q & ~{{61-LANE{1'b0}}, LANE_LAST};
      request_beats_q   <= beats;
    end
  end

  assign request_valid_o   = request_valid_q;
  assign request_address_o = {request_address_q, 3'b000};
  assign request_beats_o   = {{8-BEATS{1'b0}}, request_beats_q};

  // -- Descriptions of the expected data -----------------------------------------------------------------------

  wire [ROWS-1:0]  rows;    // rows of the oldest operation whose beats have not all arrived
  wire [PLACE-1:0] unit;    // the unit address of that operation
  wire             rows_valid;
  wire             op_over; // its last beat has arrived

  localparam KIND  = (LOCAL != 0) ? 1 : 0; // a bit: the operation does not read memory
  localparam ABOUT = FILL + ROWS + PLACE + KIND;

  wire [16+ROWS+PLACE:0] op_about = {op_fill_i, op_rows_i, op_unit_i[PLACE+2:3], op_address_i[63]};
  wire [ABOUT-1:0] about;
  wire [63:0]      fill;    // a granule of that operation's fill

  generate
    if (FILL != 0) begin : gen_fill
      assign fill = {64/FILL{about[ABOUT-1 -: FILL]}};
    end else begin : gen_zeros
      assign fill = 64'd0;
    end
  endgenerate

  assign {rows, unit} = about[KIND +: ROWS+PLACE];

  tulle_fifo #(
    .WIDTH (ABOUT),
    .DEPTH (OPS)
  ) u_rows (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (start),
    .ready_o (rows_ready),
    .data_i  (op_about[1-KIND +: ABOUT]),
    .valid_o (rows_valid),
    .ready_i (op_over),
    .data_o  (about)
  );

  // A burst's description: zeros, whether it is the operation's last, first and last lane, beats minus 1.
  localparam PIECE = 2 + 2 * LANE + BEATS;

  wire [PIECE-1:0] piece_data;
  wire             piece_take;

  tulle_fifo #(
    .WIDTH (PIECE),
    .DEPTH (OUTSTANDING)
  ) u_pieces (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (piece),
    .ready_o (pieces_ready),
    .data_i  ({burst_zero_q, burst_last_q && run_ends, first_at[LANE-1:0] & LANE_LAST, end_at[LANE-1:0] & LANE_LAST,
               beats}),
    .valid_o (piece_valid),
    .ready_i (piece_take),
    .data_o  (piece_data)
  );

  reg             piece_zero_q;
  reg             piece_ends_q;  // the operation ends with this burst
  reg [LANE-1:0]  piece_first_q; // first lane of the next beat
  reg [LANE-1:0]  piece_last_q;  // last lane of the last beat
  reg [BEATS-1:0] piece_beats_q; // beats after the next one

  wire            beat      = piece_valid_q && (piece_zero_q || data_valid_i);
  wire            failing   = failing_q || (beat && !piece_zero_q && data_error_i != 2'd0);
  wire            beat_last = piece_beats_q == {BEATS{1'b0}};

  assign piece_take = piece_valid && (!piece_valid_q || (beat && beat_last));
  assign op_over    = beat && beat_last && piece_ends_q;

  always @(posedge clk_i) begin
    if (!rst_ni)                piece_valid_q <= 1'b0;
    else if (piece_take)        piece_valid_q <= 1'b1;
    else if (beat && beat_last) piece_valid_q <= 1'b0;
  end

  always @(posedge clk_i) begin
    if (piece_take) begin
      {piece_zero_q, piece_ends_q, piece_first_q, piece_last_q, piece_beats_q} <= piece_data;
    end else if (beat) begin
      piece_first_q <= {LANE{1'b0}};
      piece_beats_q <= piece_beats_q - 1'b1;
    end
  end

  // -- The destination of a beat -------------------------------------------------------------------------------

  reg              fresh_q; // the next beat is the first of an operation
  reg  [PLACE-1:0] place_q; // next granule to write in the units
  reg  [PLACE:0]   count_q; // granules of the operation so far

  wire [PLACE-1:0] place    = fresh_q ? unit : place_q;
  wire [LANE-1:0]  last     = beat_last ? piece_last_q : LANE_LAST;
  wire [LANE-1:0]  more     = last - piece_first_q; // granules of the beat, minus 1
  wire [PLACE:0]   granules = {{PLACE+1-LANE{1'b0}}, more} + 1'b1;
  wire [PLACE:0]   count    = (fresh_q ? {PLACE+1{1'b0}} : count_q) + granules;

  always @(posedge clk_i) begin
    if (!rst_ni)   fresh_q <= 1'b1;
    else if (beat) fresh_q <= op_over;
  end

  always @(posedge clk_i) begin
    if (beat) begin
      place_q <= place + granules[PLACE-1:0];
      count_q <= count;
    end
  end

  reg           bytes_valid_q;
  reg [PLACE:0] bytes_q;
  wire          counts = rst_ni && op_over && !piece_zero_q && !stopped_q && !failing && !(LOCAL != 0 && about[0]);

  always @(posedge clk_i) begin
    bytes_valid_q <= counts;
    bytes_q       <= counts ? count : {PLACE+1{1'b0}};
  end

  assign bytes_valid_o = bytes_valid_q;
  assign bytes_o       = {{37-PLACE{1'b0}}, bytes_q, 3'b000};

  // -- Rotation: lanes to banks, in two steps ------------------------------------------------------------------

  // Lane l goes to bank l + turn, modulo LANES: first by turn modulo four, then by another four.
  wire [2:0]       turn = {{3-LANE{1'b0}}, (place[LANE-1:0] - piece_first_q) & LANE_LAST};

  reg              write_1_q;
  reg  [ROWS-1:0]  rows_1_q;
  reg  [PLACE-1:0] place_1_q;
  reg  [LANE-1:0]  more_1_q;
  reg              turn_1_q;
  reg  [MEM-1:0]   data_1_q;
  reg  [63:0]      fill_1_q; // of zeros; in the second step, because the choice of the first one fills its LUTs
  wire [MEM-1:0]   data_1_d;

  reg              write_2_q;
  reg  [ROWS-1:0]  rows_2_q;
  reg  [BANKS-1:0] enable_2_q;
  reg  [BANKS*WORD-1:0] word_2_q;
  reg  [MEM-1:0]   data_2_q;

  wire [WORD-1:0]  word_1    = place_1_q[PLACE-1 -: WORD];
  wire [WORD-1:0]  word_next = word_1 + 1'b1;
  wire [BANK-1:0]  bank_1;
  wire [BANKS-1:0]   filled        = ~(({BANKS{1'b1}} << more_1_q) << 1);     // the banks written if the beat began in bank 0
  wire [2*BANKS-1:0] written_banks = {{BANKS{1'b0}}, filled} << bank_1; // granules beyond the last bank go to the next word

  generate
    if (BANKS > 1) begin : gen_banks
      assign bank_1 = place_1_q[BANK-1:0];
    end else begin : gen_one_bank
      assign bank_1 = 1'b0;
    end
  endgenerate

  always @(posedge clk_i) begin
    write_1_q <= rst_ni && beat;
    rows_1_q  <= rows;
    place_1_q <= place;
    more_1_q  <= more;
    turn_1_q  <= turn[2];
    data_1_q  <= piece_zero_q ? {MEM{1'b0}} : data_1_d;
    fill_1_q  <= piece_zero_q ? fill : 64'd0;
    write_2_q <= rst_ni && write_1_q;
    rows_2_q  <= rows_1_q;
  end

  genvar b;
  generate
    for (b = 0; b < LANES; b = b + 1) begin : gen_lane
      localparam FAR = (b + LANES - 4 % LANES) % LANES;
      wire [63:0] now = data_i[b*64 +: 64];

      assign data_1_d[b*64 +: 64] = turn[1:0] == 2'd0 ? now :
        turn[1:0] == 2'd1 ? data_i[(b + LANES - 1) % LANES * 64 +: 64] :
        turn[1:0] == 2'd2 ? data_i[(b + 2 * LANES - 2) % LANES * 64 +: 64] :
                            data_i[(b + 3 * LANES - 3) % LANES * 64 +: 64];

      always @(posedge clk_i) data_2_q[b*64 +: 64] <= (turn_1_q ? data_1_q[FAR*64 +: 64] : data_1_q[b*64 +: 64]) | fill_1_q;
    end

    for (b = 0; b < BANKS; b = b + 1) begin : gen_bank
      always @(posedge clk_i) begin
        enable_2_q[b] <= written_banks[b] || written_banks[BANKS+b];
        word_2_q[b*WORD +: WORD] <= written_banks[BANKS+b] ? word_next : word_1;
      end

      assign write_data_o[b*64 +: 64] = data_2_q[b % LANES * 64 +: 64];
    end
  endgenerate

  assign write_o        = write_2_q;
  assign write_rows_o   = rows_2_q;
  assign write_enable_o = enable_2_q;
  assign write_word_o   = word_2_q;

  wire unused_fill = &{1'b0, op_about};

  // -- Completions and errors ----------------------------------------------------------------------------------

  wire           tags_valid;
  wire [TAG-1:0] tag;      // tag of the oldest operation in the engine
  wire           done_taken      = done_valid_o && done_ready_i;
  reg  [4:0]     ended_q;   // operations that are complete and not reported
  reg            any_ended_q;
  reg  [15:0]    code_q;
  reg            error_q;
  reg  [TAG-1:0] error_tag_q;

  tulle_fifo #(
    .WIDTH (TAG),
    .DEPTH (OPS)
  ) u_tags (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (start),
    .ready_o (tags_ready),
    .data_i  (op_tag_i),
    .valid_o (tags_valid),
    .ready_i (done_taken),
    .data_o  (tag)
  );

  wire [4:0] ended_d = ended_q + {4'd0, op_over && !failing} - {4'd0, done_taken};
  wire       report  = failing_q && ended_q == 5'd0 && !stopped_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {ended_q, any_ended_q, failing_q, stopped_q, error_q} <= 9'd0;
    else begin
      ended_q     <= ended_d;
      any_ended_q <= ended_d != 5'd0;
      failing_q   <= failing;
      stopped_q   <= stopped_q || abort_i || report;
      error_q     <= report && !abort_i;
    end
  end

  always @(posedge clk_i) begin
    if (!failing_q) code_q <= data_error_i[0] ? `TULLE_STATUS_READ_DECODE_ERROR : `TULLE_STATUS_READ_SLAVE_ERROR;
    error_tag_q <= tag;
  end

  assign done_valid_o = any_ended_q && !stopped_q;
  assign done_tag_o   = tag;
  assign error_o      = error_q;
  assign error_code_o = code_q;
  assign error_tag_o  = error_tag_q;
  assign idle_o       = !tags_valid;

  // -- Rules ---------------------------------------------------------------------------------------------------

  tulle_stream_check #(
    .WIDTH (ROWS + 1 + 16 + 64 + 21 + 32 + 64 + 20 + TAG)
  ) u_op_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !abort_i),
    .valid_i (op_valid_i),
    .ready_i (op_ready_o),
    .data_i  ({op_rows_i, op_zero_i, op_fill_i, op_address_i, op_length_i, op_runs_i, op_planes_i, op_run_pitch_i,
               op_plane_pitch_i, op_unit_i, op_tag_i})
  );

  tulle_assert #(
    .MESSAGE("operations are in granules and have some")
  ) u_op_is_whole (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !abort_i),
    .holds_i (!op_valid_i || ((op_address_i[2:0] | op_length_i[2:0] | op_run_pitch_i[2:0] | op_plane_pitch_i[2:0] |
                               op_unit_i[2:0]) == 3'd0 &&
                              op_length_i != 21'd0 && op_runs_i != 16'd0 && op_planes_i != 16'd0))
  );

  tulle_assert #(
    .MESSAGE("data come while a burst is due and end with it")
  ) u_data_are_due (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!data_valid_i || (piece_valid_q && !piece_zero_q && rows_valid && data_last_i == beat_last))
  );

endmodule

`default_nettype wire
