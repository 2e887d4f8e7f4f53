// SPDX-License-Identifier: Apache-2.0
//
// tulle_line_reader: reads the lines of a pattern from memory, as far ahead as its buffer has room, and gives their pieces.
// A line is a beat of memory. Runs begin with a line of their own, even if the last one ended in the same line.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   abort_i                       1: no new bursts are requested
//   op_valid_i, op_ready_o        a pattern. It replaces the last pattern with all its data from the moment it is
//                                 offered, and is taken when no burst of the last one is outstanding
//   op_address_i, op_length_i     address and bytes of the first run
//   op_runs_i, op_run_pitch_i     number of runs, at least one, and the signed distance of their beginnings
//   request_valid_o, request_ready_i, request_address_o, request_beats_o
//                                 bursts: address of the first beat, and beats minus 1; none crosses a multiple of
//                                 1024
//   data_valid_i, data_i          their beats, in order, always taken
//   here_o                        a line is here
//   step_i, piece_i               the piece of this number of the line is read, in this cycle
//   consume_i                     with step_i: the line is not needed any more
//   piece_o                       the piece that was read, from the next cycle on
//   idle_o                        no burst is outstanding, and none will be before a line is consumed or a pattern is
//                                 offered
//
// Parameters
//   MEM                           bits of a beat: 64, 128, 256, 512
//   PIECE                         bytes of a piece, at most a line
//   BURSTS                        bursts of 1024 bytes that the buffer holds: a power of two, at least 2
//
// Latency: a burst takes three cycles or more to request, and a run one more.

`default_nettype none

module tulle_line_reader #(
  parameter MEM    = 512,
  parameter PIECE  = 16,
  parameter BURSTS = 4,
  // Derived; not to be set.
  parameter PLACE  = (PIECE < MEM / 8) ? $clog2(MEM / 8 / PIECE) : 1
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               abort_i,

  input  wire               op_valid_i,
  output wire               op_ready_o,
  input  wire [63:0]        op_address_i,
  input  wire [31:0]        op_length_i,
  input  wire [15:0]        op_runs_i,
  input  wire [31:0]        op_run_pitch_i,

  output wire               request_valid_o,
  input  wire               request_ready_i,
  output wire [63:0]        request_address_o,
  output wire [7:0]         request_beats_o,

  input  wire               data_valid_i,
  input  wire [MEM-1:0]     data_i,

  output wire               here_o,
  input  wire               step_i,
  input  wire [PLACE-1:0]   piece_i,
  input  wire               consume_i,
  output wire [PIECE*8-1:0] piece_o,

  output wire               idle_o
);

  localparam BURST       = 1024;                 // bytes
  localparam LINE        = MEM / 8;              // bytes of a beat
  localparam LINE_LOG    = $clog2(LINE);
  localparam BURST_LINES = BURST / LINE;
  localparam LINES       = BURSTS * BURST_LINES;
  localparam ADDR        = $clog2(LINES);

  tulle_require #(
    .LEGAL   (MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512),
    .MESSAGE ("tulle_line_reader: MEM must be 64, 128, 256 or 512")
  ) u_require_mem_64_128_256_or_512 ();

  tulle_require #(
    .LEGAL   (PIECE >= 1 && PIECE <= LINE && (PIECE & (PIECE - 1)) == 0),
    .MESSAGE ("tulle_line_reader: PIECE must be a power of two, at most a line")
  ) u_require_piece_power_of_two ();

  tulle_require #(
    .LEGAL   (BURSTS >= 2 && (BURSTS & (BURSTS - 1)) == 0),
    .MESSAGE ("tulle_line_reader: BURSTS must be a power of two and at least 2")
  ) u_require_bursts_power_of_two_at_least_2 ();

  // op_valid_i arrives late. When op_ready_o is set, no other pattern is left to lose, so the registers are set up in
  // any case, and only the start depends on op_valid_i.
  wire take_op = op_valid_i && op_ready_o;
  wire set_up  = op_ready_o;

  // -- Requests --------------------------------------------------------------------------------------------------
  // A burst takes three states: its bytes (SPLIT), its beats, as soon as there is room (SIZE), and the offer. The
  // last burst of a run is followed by the step to the next run (NEXT).

  localparam [2:0] NOTHING = 3'd0, SPLIT = 3'd1, SIZE = 3'd2, OFFER = 3'd3, NEXT = 3'd4;

  reg  [2:0]    state_q;
  reg  [63:0]   address_q;
  reg  [31:0]   left_q;      // bytes of the run that were not requested
  reg  [15:0]   runs_q;      // runs that are not finished
  reg  [31:0]   length_q;
  reg  [31:0]   pitch_q;
  reg  [33:0]   gap_q;       // distance from the end of a run to the beginning of the next
  reg  [10:0]   part_q;      // bytes of the burst
  reg           last_q;      // the burst is the last of its run
  reg  [7:0]    beats_q;     // - 1
  reg  [ADDR:0] free_q;      // lines that are neither requested nor occupied
  reg  [ADDR:0] owed_q;      // lines that were requested and have not arrived
  reg           none_q;      // owed_q is 0, in a cycle that follows one without an offer

  reg           clear_q;     // address_q and left_q are cleared for a new pattern
  wire          clears  = op_valid_i && state_q != OFFER;
  wire          room    = free_q >= BURST_LINES[ADDR:0];
  wire          go      = state_q == SIZE && room && !op_valid_i && !abort_i;
  wire          asked   = state_q == OFFER && request_ready_i;
  wire [10:0]   span    = 11'd1024 - {1'b0, address_q[9:0]};
  wire          ends    = left_q[31:11] == 21'd0 && left_q[10:0] <= span;
  wire [9:0]    end_at  = address_q[9:0] + part_q[9:0] - 10'd1; // position of the last byte within the same 1024 bytes
  wire [9:0]    lines   = (end_at >> LINE_LOG) - (address_q[9:0] >> LINE_LOG);
  wire          moves   = asked || state_q == NEXT;
  wire [63:0]   address_d;
  wire [31:0]   left_d;
  wire [ADDR+8:0] beats = {{ADDR+1{1'b0}}, beats_q} + 1'b1;
  wire [ADDR:0] asked_lines = asked ? beats[ADDR:0] : {ADDR+1{1'b0}};
  wire          unused  = &{1'b0, lines, beats};

  tulle_sum #(
    .WIDTH (64)
  ) u_address (
    .zero_i   (1'b0),
    .second_i (set_up),
    .a_i      ((state_q == NEXT) ? {{30{gap_q[33]}}, gap_q} : {53'd0, part_q}),
    .b_i      (op_address_i),
    .c_i      (address_q),
    .carry_i  (1'b0),
    .sum_o    (address_d)
  );

  tulle_sum #(
    .WIDTH (32)
  ) u_left (
    .zero_i   (1'b0),
    .second_i (set_up),
    .a_i      ((state_q == NEXT) ? length_q : ~{21'd0, part_q}),
    .b_i      (op_length_i),
    .c_i      (left_q),
    .carry_i  (asked),
    .sum_o    (left_d)
  );

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= NOTHING;
    end else if (take_op) begin
      state_q <= SPLIT;
    end else begin
      case (state_q)
        SPLIT:   state_q <= SIZE;
        SIZE:    if (go) state_q <= OFFER;
        OFFER:   if (asked) state_q <= !last_q ? SPLIT : (runs_q == 16'd1) ? NOTHING : NEXT;
        NEXT:    state_q <= SPLIT;
        default: state_q <= NOTHING;
      endcase
    end

    // The values of a new pattern are added to 0. After the last burst of a run, left_q is 0.
    clear_q <= rst_ni && clears && !take_op;
    if (clears && !clear_q) begin
      {address_q, left_q} <= 96'd0;
    end else if (set_up || moves) begin
      address_q <= address_d;
      left_q    <= left_d;
    end
    if (set_up) begin
      runs_q   <= op_runs_i;
      length_q <= op_length_i;
      pitch_q  <= op_run_pitch_i;
    end else if (state_q == NEXT) begin
      runs_q <= runs_q - 16'd1;
    end

    gap_q <= {{2{pitch_q[31]}}, pitch_q} - {2'd0, length_q};

    if (state_q == SPLIT) begin
      part_q <= ends ? left_q[10:0] : span;
      last_q <= ends;
    end
    if (state_q == SIZE) beats_q <= lines[7:0];

    if (!rst_ni || set_up) begin
      free_q <= LINES[ADDR:0];
      owed_q <= {ADDR+1{1'b0}};
    end else begin
      free_q <= free_q - asked_lines + {{ADDR{1'b0}}, consume_i};
      owed_q <= owed_q + asked_lines - {{ADDR{1'b0}}, data_valid_i};
    end
    none_q <= !rst_ni || set_up || owed_q == {{ADDR{1'b0}}, data_valid_i};
  end

  // No offer stands: while an operation waits, none begins, and clear_q follows a cycle without one.
  assign op_ready_o        = clear_q && none_q;
  assign request_valid_o   = state_q == OFFER;
  assign request_address_o = {address_q[63:LINE_LOG], {LINE_LOG{1'b0}}};
  assign request_beats_o   = beats_q;

  // -- Lines -----------------------------------------------------------------------------------------------------

  reg  [ADDR-1:0] write_q;
  reg  [ADDR-1:0] read_q;
  reg  [ADDR:0]   here_q;  // lines that have arrived and are not consumed
  wire [ADDR+$clog2(LINE/PIECE)-1:0] read_at;

  generate
    if (PIECE == LINE) begin : gen_whole
      assign read_at = read_q;
      wire unused_piece = &{1'b0, piece_i};
    end else begin : gen_part
      assign read_at = {read_q, piece_i};
    end
  endgenerate

  tulle_block_ram #(
    .WIDTH  (MEM),
    .PIECES (LINE / PIECE),
    .DEPTH  (LINES)
  ) u_lines (
    .clk_i   (clk_i),
    .we_i    (data_valid_i),
    .waddr_i (write_q),
    .wdata_i (data_i),
    .re_i    (step_i),
    .raddr_i (read_at),
    .rdata_o (piece_o)
  );

  always @(posedge clk_i) begin
    if (!rst_ni || set_up) begin
      write_q <= {ADDR{1'b0}};
      read_q  <= {ADDR{1'b0}};
      here_q  <= {ADDR+1{1'b0}};
    end else begin
      if (data_valid_i) write_q <= write_q + 1'b1;
      if (consume_i)    read_q <= read_q + 1'b1;
      here_q <= here_q + {{ADDR{consume_i && !data_valid_i}}, consume_i != data_valid_i};
    end
  end

  assign here_o = here_q != {ADDR+1{1'b0}};
  assign idle_o = owed_q == {ADDR+1{1'b0}} && (state_q == NOTHING || (state_q == SIZE && !room));

  // -- Properties ------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE ("a line comes only when one was asked for")
  ) u_data_was_asked_for (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!data_valid_i || owed_q != {ADDR+1{1'b0}})
  );

  tulle_assert #(
    .MESSAGE ("lines kept and asked for fit the buffer")
  ) u_room_is_kept (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i ({1'b0, here_q} + {1'b0, owed_q} + {1'b0, free_q} == {1'b0, LINES[ADDR:0]})
  );

endmodule

`default_nettype wire
