// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_bursts: cuts the runs and planes of a store into bursts of at most 1024 bytes that do not cross a
// multiple of 1024 bytes. A store that is gathered (tulle_store_window) is cut into pieces that do not cross a multiple
// of its window; they wait in a row's lines of tulle_store_gather, and a burst takes them from there when the window, or
// the row, is complete.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   start_i, address_i, length_i, runs_i, planes_i, run_pitch_i, plane_pitch_i
//                                  a store, while idle_o: address of run 0 of plane 0, bytes of a run, numbers of
//                                  runs and planes (not 0), and signed distances in bytes of runs and planes
//   gather_i, upper_i, window_i    beside start_i: the store is gathered, in the upper half of the lines; log2 of the beats of
//                                  its window
//   valid_o, ready_i               a piece, and a burst if ends_o
//   address_o, beats_o             of the burst: address of the first beat (a multiple of MEM / 8), and beats minus 1
//   low_o, bytes_o                 of the piece: the first byte modulo 1024, and the number of bytes
//   ends_o                         a burst ends with the piece. Always so if the store is not gathered
//   cut_o, row_o, fresh_o          the next piece is being cut, and is on offer in the next cycle: its row, and whether it is the
//                                  row's first one. The row stays until the piece is taken
//   lines_o                        beats of the piece, minus 1
//   place_o                        where the piece's first beat is among the lines
//   first_o                        where the burst's first beat is among the lines
//   first_byte_o, last_byte_o      the burst's first byte in its first beat, and its last byte in its last beat
//   last_o                         the burst is the last of its store
//   idle_o                         all bursts were taken
//
// Parameters
//   MEM                            bits of a beat: 64, 128, 256 or 512
//   LINES                          beats that tulle_store_gather holds, a power of two; 0: there is none
//
// Latency: the first burst two cycles after start_i, a burst every other cycle.

`default_nettype none

module tulle_store_bursts #(
  parameter MEM   = 512,
  parameter LINES = 0
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        start_i,
  input  wire [63:0] address_i,
  input  wire [31:0] length_i,
  input  wire [15:0] runs_i,
  input  wire [15:0] planes_i,
  input  wire [31:0] run_pitch_i,
  input  wire [31:0] plane_pitch_i,
  input  wire        gather_i,
  input  wire        upper_i,
  input  wire [1:0]  window_i,

  output wire        valid_o,
  input  wire        ready_i,
  output wire [63:0] address_o,
  output wire [7:0]  beats_o,
  output wire [9:0]  low_o,
  output wire [10:0] bytes_o,
  output wire        ends_o,
  output wire        cut_o,
  output wire [8:0]  row_o,
  output wire        fresh_o,
  output wire [6:0]  lines_o,
  output wire [9:0]  place_o,
  output wire [9:0]  first_o,
  output wire [5:0]  first_byte_o,
  output wire [5:0]  last_byte_o,
  output wire        last_o,
  output wire        idle_o
);

  localparam LINE = $clog2(MEM / 8);

  tulle_require #(
    .LEGAL   (MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512),
    .MESSAGE ("tulle_store_bursts: MEM must be 64, 128, 256 or 512")
  ) u_require_mem_64_128_256_or_512 ();

  localparam [1:0] IDLE = 2'd0, CUT = 2'd1, OFFER = 2'd2;

  reg  [1:0]  state_q;
  reg  [31:0] length_q;
  reg  [31:0] run_pitch_q;
  reg  [31:0] plane_pitch_q;
  reg  [15:0] runs_q;        // runs of a plane
  reg  [15:0] run_q;         // runs left in this plane
  reg  [15:0] plane_q;       // planes left
  reg  [63:0] plane_base_q;  // where this plane begins
  reg  [63:0] run_base_q;    // where this run begins
  reg  [63:0] address_q;     // address of the next byte
  reg  [31:0] left_q;        // bytes left of the run from there

  // -- Cutting: into registers, because addresses are wide --------------------------------------------------------
  // The next burst begins `by` bytes after `from`: after this burst, or where the next run or plane begins.

  localparam [1:0] FROM_HERE = 2'd0, FROM_RUN = 2'd1, FROM_PLANE = 2'd2, FROM_START = 2'd3;

  reg  [1:0]  from_q;
  reg  [32:0] by_q;
  reg  [11:0] rest_q;        // added to the bytes left of the run: minus bytes_q, or 0
  reg         last_q;
  reg  [10:0] bytes_q;
  reg  [7:0]  beats_q;

  wire [9:0]  low;                                                   // where the next byte is in its window
  wire [10:0] room;                                                  // bytes up to the window's end
  wire [11:0] run_end    = {2'b00, low} + {1'b0, left_q[10:0]} - 12'd1; // the run's last byte, if it is near
  wire        near;                                                  // that is in the window
  wire        run_ends   = left_q[31:11] == 21'd0 && near;
  wire        plane_ends = run_ends && run_q == 16'd1;
  wire        last       = plane_ends && plane_q == 16'd1;
  wire [10:0] bytes      = run_ends ? left_q[10:0] : room;
  wire [9:0]  last_byte;                                             // of the piece, in the window
  wire [7:0]  last_line  = {{LINE-2{1'b0}}, last_byte[9:LINE]};
  wire [7:0]  line       = {{LINE-2{1'b0}}, low[9:LINE]};
  wire [7:0]  first_line;                                            // of the burst
  wire        taken      = state_q == OFFER && ready_i;

  always @(posedge clk_i) begin
    if (state_q == CUT) begin
      from_q  <= plane_ends ? FROM_PLANE : run_ends ? FROM_RUN : FROM_HERE;
      by_q    <= plane_ends ? {plane_pitch_q[31], plane_pitch_q}
               : run_ends   ? {run_pitch_q[31], run_pitch_q}
               :              {22'd0, room};
      rest_q  <= run_ends ? 12'd0 : 12'd0 - {1'b0, room};
      last_q  <= last;
      bytes_q <= bytes;
      beats_q <= last_line - first_line;
    end
    if (!rst_ni || (taken && last_q)) begin
      from_q <= FROM_START;
      {by_q, rest_q} <= 45'd0;
    end
  end

  // -- Gathered stores -------------------------------------------------------------------------------------------
  // A row of a gathered store has two windows among the lines, in turn. A burst begins with the window or with the row.

  generate
    if (LINES == 0) begin : gen_direct
      assign low          = address_q[9:0];
      assign near         = run_end[11:10] == 2'b00;
      assign last_byte    = run_end[9:0] | {10{!run_ends}};
      assign room         = 11'd1024 - {1'b0, address_q[9:0]};
      assign first_line   = line;
      assign address_o    = {address_q[63:LINE], {LINE{1'b0}}};
      assign ends_o       = 1'b1;
      assign lines_o      = 7'd0;
      assign place_o      = 10'd0;
      assign first_o      = 10'd0;
      assign first_byte_o = 6'd0;
      assign last_byte_o  = 6'd0;
      assign row_o        = 9'd0;
      assign fresh_o      = 1'b0;

      wire unused_gather = &{1'b0, gather_i, upper_i, window_i};
    end else begin : gen_gather
      localparam integer HALF       = LINES / 2;
      localparam [9:0]   UPPER_HALF = HALF[9:0];
      localparam integer LAST_BYTE  = MEM / 8 - 1;
      localparam [5:0]   BEAT       = LAST_BYTE[5:0]; // bytes, minus 1

      reg        gather_q;
      reg        upper_q;
      reg  [1:0] window_q;
      reg  [9:0] mask_q;
      reg  [8:0] row_q;
      reg        fresh_q;       // a row begins
      reg        first_plane_q;
      reg  [9:0] done_q;        // bytes of the row in the planes before this one, at most 1023
      reg        ends_q;
      reg  [6:0] lines_q;
      reg  [9:0] place_q;
      reg  [9:0] first_place_q;
      reg  [9:0] first_q;       // the burst's first byte, modulo 1024
      reg  [5:0] last_byte_q;

      wire [10:0] done_d = {1'b0, done_q} + {1'b0, length_q[9:0]};
      wire [10:0] beyond = {1'b0, low} - {1'b0, done_q};
      wire [9:0]  first  = !gather_q ? low : beyond[10] ? 10'd0 : beyond[9:0]; // the burst's first byte in the window
      wire [3:0]  odd    = address_q[LINE +: 4];                                   // bit w: the window is an odd one
      wire [9:0]  base   = ({row_q, odd[window_q]} << window_q) | (upper_q ? UPPER_HALF : 10'd0);

      assign low        = address_q[9:0] & mask_q;
      assign near       = (run_end & {2'b11, ~mask_q}) == 12'd0;
      assign last_byte  = (run_end[9:0] | {10{!run_ends}}) & mask_q;
      assign room       = {1'b0, ~address_q[9:0] & mask_q} + 11'd1;
      assign first_line = {{LINE-2{1'b0}}, first[9:LINE]};

      always @(posedge clk_i) begin
        if (start_i) begin
          gather_q <= gather_i;
          upper_q  <= upper_i;
          window_q <= window_i;
          mask_q   <= gather_i ? ((10'd1 << window_i) << LINE) - 10'd1 : 10'h3FF;
        end
        if (start_i || (taken && from_q == FROM_PLANE)) row_q <= 9'd0;
        else if (taken && from_q == FROM_RUN)           row_q <= row_q + 9'd1;
        if (start_i)    {first_plane_q, fresh_q} <= 2'b11;
        else if (taken) begin
          if (from_q == FROM_PLANE) first_plane_q <= 1'b0;
          fresh_q <= first_plane_q && from_q == FROM_RUN;
        end
        if (start_i)                                    done_q <= 10'd0;
        else if (taken && from_q == FROM_PLANE)         done_q <= done_d[9:0] | {10{done_d[10]}};
        if (state_q == CUT) begin
          ends_q        <= !gather_q || plane_q == 16'd1 || last_byte == mask_q;
          lines_q       <= last_line[6:0] - line[6:0];
          place_q       <= base | {2'd0, line};
          first_place_q <= base | {2'd0, first_line};
          first_q       <= (address_q[9:0] & ~mask_q) | first;
          last_byte_q   <= last_byte[5:0] & BEAT;
        end
      end

      assign address_o    = {address_q[63:10], first_q[9:LINE], {LINE{1'b0}}};
      assign ends_o       = ends_q;
      assign lines_o      = lines_q;
      assign place_o      = place_q;
      assign first_o      = first_place_q;
      assign first_byte_o = first_q[5:0] & BEAT;
      assign last_byte_o  = last_byte_q;
      assign row_o        = row_q;
      assign fresh_o      = fresh_q;

      wire unused_done = &{1'b0, last_line[7], line[7], length_q[31:10]};
    end
  endgenerate

  // -- The next burst --------------------------------------------------------------------------------------------

  reg  [63:0] from;
  wire [31:0] left_d;

  always @* begin
    case (from_q)
      FROM_HERE:  from = address_q;
      FROM_RUN:   from = run_base_q;
      FROM_PLANE: from = plane_base_q;
      default:    from = address_i;
    endcase
  end

  tulle_sum #(
    .WIDTH (32)
  ) u_left (
    .zero_i   (1'b0),
    .second_i (from_q == FROM_HERE),
    .a_i      (from_q == FROM_START ? length_i : length_q),
    .b_i      (left_q),
    .c_i      ({{20{rest_q[11]}}, rest_q}),
    .carry_i  (1'b0),
    .sum_o    (left_d)
  );

  wire [63:0] address_d = from + {{31{by_q[32]}}, by_q};
  wire        step      = start_i || taken;

  always @(posedge clk_i) begin
    if (step) begin
      address_q <= address_d;
      left_q    <= left_d;
    end
    if (step && from_q != FROM_HERE)               run_base_q   <= address_d;
    if (step && from_q[1])                         plane_base_q <= address_d;
    if (start_i)                                   run_q        <= runs_i;
    else if (taken && from_q == FROM_PLANE)        run_q        <= runs_q;
    else if (taken && from_q == FROM_RUN)          run_q        <= run_q - 16'd1;
    if (start_i)                                   plane_q      <= planes_i;
    else if (taken && from_q == FROM_PLANE)        plane_q      <= plane_q - 16'd1;
    if (start_i) begin
      length_q      <= length_i;
      run_pitch_q   <= run_pitch_i;
      plane_pitch_q <= plane_pitch_i;
      runs_q        <= runs_i;
    end
  end

  always @(posedge clk_i) begin
    if (!rst_ni) state_q <= IDLE;
    else begin
      if (start_i)             state_q <= CUT;
      else if (state_q == CUT) state_q <= OFFER;
      else if (taken)          state_q <= last_q ? IDLE : CUT;
    end
  end

  assign valid_o   = state_q == OFFER;
  assign beats_o   = beats_q;
  assign low_o     = address_q[9:0];
  assign bytes_o   = bytes_q;
  assign cut_o     = state_q == CUT;
  assign last_o    = last_q;
  assign idle_o    = state_q == IDLE;

  tulle_assert #(
    .MESSAGE ("a store begins when the last one's bursts are taken, and has bytes, runs and planes")
  ) u_start_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || (idle_o && length_i != 32'd0 && runs_i != 16'd0 && planes_i != 16'd0))
  );

  wire unused = &{1'b0, last_byte, first_line};

endmodule

`default_nettype wire
