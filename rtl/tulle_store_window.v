// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_window: decides whether a store is gathered, and in windows of how many beats.
//
// Runs of consecutive planes that lie side by side make rows: row r has run r of every plane. A store comes plane by plane, and
// tulle_store_gather keeps a window of each row until it is complete. So a store is gathered when it has several planes, each
// begins where the one before ends, no row reaches into the next one, and all rows have room for two windows in half of
// the lines. A window is 8, 4, 2 or 1 beats, as many as fit, and longer than a run.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   valid_i, length_i, runs_i, planes_i, run_pitch_i, plane_pitch_i
//                                  a store, stable until restart_i
//   restart_i                      the store was taken, or what is known of it is void
//   ready_o                        the decision is there
//   gather_o, window_o             the store is gathered; log2 of the beats of a window
//
// Parameters
//   MEM                            bits of a beat: 64, 128, 256 or 512
//   LINES                          beats that tulle_store_gather holds, a power of two, 32..1024
//
// Latency: ready_o follows valid_i after two cycles, or after as many more as planes_i has bits. A row that reaches into
// the next one would have the order of its bytes changed, so the product of planes and length is compared with the distance of rows.

`default_nettype none

module tulle_store_window #(
  parameter MEM   = 512,
  parameter LINES = 512
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        valid_i,
  input  wire [31:0] length_i,
  input  wire [15:0] runs_i,
  input  wire [15:0] planes_i,
  input  wire [31:0] run_pitch_i,
  input  wire [31:0] plane_pitch_i,
  input  wire        restart_i,

  output wire        ready_o,
  output wire        gather_o,
  output wire [1:0]  window_o
);

  tulle_require #(
    .LEGAL   ((MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512) && LINES >= 32 && LINES <= 1024 && (LINES & (LINES - 1)) == 0),
    .MESSAGE ("tulle_store_window: MEM must be 64, 128, 256 or 512, LINES a power of two, 32..1024")
  ) u_require_mem_and_lines_power_of_two ();

  // Rows that have two windows of 2^w beats in half of the lines.
  localparam integer QUARTER = LINES / 4;
  localparam integer BYTES   = MEM / 8;
  localparam [15:0]  ROWS    = QUARTER[15:0];
  localparam [31:0]  BEAT    = BYTES;

  localparam [1:0] IDLE = 2'd0, TEST = 2'd1, MULTIPLY = 2'd2, DONE = 2'd3;

  reg  [1:0]  state_q;
  reg         gather_q;
  reg  [1:0]  window_q;
  reg  [15:0] planes_q; // bits that are still to be looked at
  reg  [24:0] times_q;  // the length times the weight of the lowest of them
  reg  [24:0] bytes_q;  // of a row, so far
  wire [1:0]  window  = runs_i <= ROWS >> 3 ? 2'd3 : runs_i <= ROWS >> 2 ? 2'd2 : runs_i <= ROWS >> 1 ? 2'd1 : 2'd0;
  wire        shorter = length_i < BEAT << window_q;
  wire [24:0] bytes_d = bytes_q + (planes_q[0] ? times_q : 25'd0);
  wire        ends    = planes_q[15:1] == 15'd0;

  always @(posedge clk_i) begin
    if (!rst_ni || restart_i) state_q <= IDLE;
    else begin
      case (state_q)
        IDLE:     if (valid_i) state_q <= TEST;
        TEST:     state_q <= gather_q && shorter ? MULTIPLY : DONE;
        MULTIPLY: if (ends) state_q <= DONE;
        default:  ;
      endcase
    end
  end

  always @(posedge clk_i) begin
    case (state_q)
      IDLE: begin
        gather_q <= plane_pitch_i == length_i && planes_i != 16'd1 && runs_i <= ROWS;
        window_q <= window;
      end
      TEST: begin
        gather_q  <= gather_q && shorter;
        planes_q  <= planes_i;
        times_q   <= {16'd0, length_i[8:0]};
        bytes_q   <= 25'd0;
      end
      MULTIPLY: begin
        planes_q <= planes_q >> 1;
        times_q  <= times_q << 1;
        bytes_q  <= bytes_d;
        if (ends) gather_q <= runs_i == 16'd1 || (!run_pitch_i[31] && {7'd0, bytes_d} <= run_pitch_i);
      end
      default: ;
    endcase
  end

  assign ready_o  = state_q == DONE;
  assign gather_o = gather_q;
  assign window_o = window_q;

endmodule

`default_nettype wire
