// SPDX-License-Identifier: Apache-2.0
//
// tulle_copy_ring: fetches descriptors from a ring in host memory (docs/pcie.md), starts their moves and writes their
// status.
//
// A descriptor has 32 bytes, the lowest first: flags (bit 0: to the host; bit 1: interrupt when done), bytes, address
// in host memory, address in device memory, status (bit 31: done; 7..0: code), and bytes moved. The engine writes the
// last two.
//
// Every wait is bounded by watchdog_i, unless watchdog_i is 0: a side without progress for so many cycles ends the
// descriptor. The halt is reported even if its status cannot be written.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   run_i, halted_i, head_i, tail_i, entries_i, ring_i, master_i, memory_bytes_i, watchdog_i
//                             values of the registers
//   busy_o                    level: a descriptor is under way
//   next_o                    one cycle: a descriptor is done, with or without an error
//   tell_o, halt_o, code_o    in the cycle of next_o (halt_o in any cycle): raise the `completed` interrupt; halt,
//                             with a code
//   fault_o, fault_address_o  one cycle: the host refused an access at this address
//   to_host_o, start_o, host_o, device_o, bytes_o, give_up_o, done_i, moved_i, host_error_i, device_error_i,
//   moving_fault_i, late_host_i
//                             tulle_copy_move, with its errors for each side; late_host_i: the move waits for the
//                             host
//   progress_i                a port made progress
//   flush_o                   one cycle: the host's ports must discard their bursts
//   request_*, data_*         client of the host's read port
//   burst_*, word_*, response_*
//                             client of the host's write port: the beat is word_o with word_strobe_o
//   fetches_o                 level: this module uses the host's read port; otherwise the mover uses it
//   writes_o                  level: likewise for the host's write port
//
// Parameters
//   MEM                       bits of a beat, 64 to 512
//
// Latency: nine cycles for each descriptor, plus the latency of memory.

`default_nettype none

module tulle_copy_ring #(
  parameter MEM = 512
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             run_i,
  input  wire             halted_i,
  input  wire [31:0]      head_i,
  input  wire [31:0]      tail_i,
  input  wire [31:0]      entries_i,
  input  wire [63:0]      ring_i,
  input  wire             master_i,
  input  wire [63:0]      memory_bytes_i,
  input  wire [31:0]      watchdog_i,
  output wire             busy_o,
  output wire             next_o,
  output wire             tell_o,
  output wire             halt_o,
  output wire [7:0]       code_o,
  output wire             fault_o,
  output wire [63:0]      fault_address_o,

  output wire             to_host_o,
  output wire             start_o,
  output wire [63:0]      host_o,
  output wire [63:0]      device_o,
  output wire [24:0]      bytes_o,
  output wire             give_up_o,
  input  wire             done_i,
  input  wire [24:0]      moved_i,
  input  wire [1:0]       host_error_i,
  input  wire [1:0]       device_error_i,
  input  wire [63:0]      moving_fault_i,
  input  wire             late_host_i,
  input  wire             progress_i,
  output wire             flush_o,

  output wire             fetches_o,
  output wire             request_valid_o,
  input  wire             request_ready_i,
  output wire [63:0]      request_address_o,
  output wire [7:0]       request_beats_o,
  input  wire             data_valid_i,
  input  wire [MEM-1:0]   data_i,
  input  wire             data_last_i,
  input  wire [1:0]       data_error_i,

  output wire             writes_o,
  output wire             burst_valid_o,
  input  wire             burst_ready_i,
  output wire [63:0]      burst_address_o,
  output wire             word_valid_o,
  input  wire             word_ready_i,
  output wire [63:0]      word_o,
  output wire [MEM/8-1:0] word_strobe_o,
  input  wire             response_valid_i,
  input  wire [1:0]       response_error_i
);

  localparam SIZE  = $clog2(MEM / 8);
  localparam BEATS = (MEM < 256) ? 256 / MEM : 1; // beats of a descriptor

  tulle_require #(
    .LEGAL   (MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512),
    .MESSAGE ("tulle_copy_ring: MEM must be 64, 128, 256 or 512")
  ) u_require_mem_64_to_512 ();

  // Codes of docs/pcie.md.
  localparam [7:0] OK             = 8'd0;
  localparam [7:0] BAD_DESCRIPTOR = 8'd1;
  localparam [7:0] DEVICE_ADDRESS = 8'd2;
  localparam [7:0] HOST_FAULT     = 8'd3;
  localparam [7:0] RING_FAULT     = 8'd4;
  localparam [7:0] BAD_RING       = 8'd5;
  localparam [7:0] NOT_MASTER     = 8'd6;
  localparam [7:0] DEVICE_FAILED  = 8'd7;

  localparam [24:0] MOST   = 25'h1000000; // maximum bytes of a descriptor
  localparam [1:0]  DECERR = 2'd3;        // no device is at that address

  localparam [3:0] IDLE   = 4'd0;
  localparam [3:0] LOOK   = 4'd1; // checks the ring
  localparam [3:0] FETCH  = 4'd2;
  localparam [3:0] ARRIVE = 4'd3;
  localparam [3:0] ADD    = 4'd4; // computes the ends of both ranges
  localparam [3:0] JUDGE  = 4'd5;
  localparam [3:0] MOVE   = 4'd6;
  localparam [3:0] OFFER  = 4'd7; // offers the address of the status
  localparam [3:0] WRITE  = 4'd8; // writes the beat of the status
  localparam [3:0] ANSWER = 4'd9;
  localparam [3:0] NEXT   = 4'd10;

  reg [3:0]   state_q;
  reg [7:0]   code_q;
  reg [63:0]  place_q;      // address of the descriptor
  reg [255:0] descriptor_q;
  reg [64:0]  host_end_q;
  reg [64:0]  device_end_q;
  reg [24:0]  moved_q;

  wire [31:0] flags = descriptor_q[31:0];
  wire [31:0] bytes = descriptor_q[63:32];

  // -- Watchdog ------------------------------------------------------------------------------------------------------

  reg [31:0] quiet_q; // cycles without progress
  wire       waits = state_q == FETCH || state_q == ARRIVE || state_q == MOVE || state_q == OFFER || state_q == WRITE ||
                     state_q == ANSWER;
  reg        bites_q;

  always @(posedge clk_i) begin
    if (!waits || progress_i || bites_q) quiet_q <= 32'd0;
    else                                 quiet_q <= quiet_q + 32'd1;
    bites_q <= rst_ni && waits && !bites_q && quiet_q >= watchdog_i && watchdog_i != 32'd0;
  end

  // -- Checks --------------------------------------------------------------------------------------------------------

  wire ring_fits = (entries_i & (entries_i - 32'd1)) == 32'd0 && entries_i[31:17] == 15'd0 && entries_i[16:1] != 16'd0 &&
                   tail_i < entries_i && head_i < entries_i && ring_i[5:0] == 6'd0 && ring_i[63:21] != {43{1'b1}};

  wire bad        = flags[31:2] != 30'd0 || bytes == 32'd0 || bytes > {7'd0, MOST};
  wire bad_device = device_end_q[64] || device_end_q[63:0] > memory_bytes_i;
  wire bad_host   = host_end_q[64];

  // -- States of a descriptor ----------------------------------------------------------------------------------------

  wire fetched     = state_q == ARRIVE && data_valid_i && data_last_i;
  wire unreadable  = state_q == ARRIVE && data_valid_i && data_error_i != 2'd0;
  wire lost        = bites_q && (state_q == FETCH || state_q == ARRIVE);
  wire unwritable  = state_q == ANSWER && response_valid_i && response_error_i != 2'd0;
  wire untold      = bites_q && (state_q == OFFER || state_q == WRITE || state_q == ANSWER);
  wire host_denies = done_i && host_error_i != 2'd0;
  wire late        = done_i && bites_q && host_error_i == 2'd0 && device_error_i == 2'd0 && moved_i != bytes_o;
  wire host_late   = late && late_host_i;

  always @(posedge clk_i) begin
    if (!rst_ni) state_q <= IDLE;
    else begin
      case (state_q)
        IDLE:    if (run_i && !halted_i && head_i != tail_i) state_q <= LOOK;
        LOOK:    state_q <= (ring_fits && master_i) ? FETCH : IDLE;
        FETCH:   if (bites_q) state_q <= IDLE;
                 else if (request_ready_i) state_q <= ARRIVE;
        ARRIVE:  if (unreadable || bites_q) state_q <= IDLE;
                 else if (fetched) state_q <= ADD;
        ADD:     state_q <= JUDGE;
        JUDGE:   state_q <= (bad || bad_device || bad_host) ? OFFER : MOVE;
        MOVE:    if (done_i) state_q <= OFFER;
        OFFER:   if (bites_q) state_q <= NEXT;
                 else if (burst_ready_i) state_q <= WRITE;
        WRITE:   if (bites_q) state_q <= NEXT;
                 else if (word_ready_i) state_q <= ANSWER;
        ANSWER:  if (response_valid_i || bites_q) state_q <= NEXT;
        default: state_q <= IDLE;
      endcase
    end
  end

  always @(posedge clk_i) begin
    case (state_q)
      LOOK: begin
        place_q <= ring_i + {27'd0, head_i, 5'd0};
        moved_q <= 25'd0;
      end
      ADD: begin
        host_end_q   <= {1'b0, host_o} + {33'd0, bytes};
        device_end_q <= {1'b0, device_o} + {33'd0, bytes};
      end
      JUDGE: code_q <= bad ? BAD_DESCRIPTOR : bad_device ? DEVICE_ADDRESS : bad_host ? HOST_FAULT : OK;
      MOVE: if (done_i) begin
        moved_q <= moved_i;
        if (host_denies || host_late)         code_q <= HOST_FAULT;
        else if (device_error_i == DECERR)    code_q <= DEVICE_ADDRESS;
        else if (device_error_i != 2'd0 || late) code_q <= DEVICE_FAILED;
      end
      default: if ((unwritable || untold) && code_q == OK) code_q <= RING_FAULT;
    endcase
  end

  // The lowest beat arrives first. If a beat holds two descriptors, the address selects one.
  wire [255:0] arrived;

  generate
    if (MEM < 256) begin : gen_beats
      assign arrived = {data_i, descriptor_q[255:MEM]};
    end else if (MEM == 256) begin : gen_beat
      assign arrived = data_i;
    end else begin : gen_half
      assign arrived = place_q[5] ? data_i[MEM-1 -: 256] : data_i[255:0];
    end
  endgenerate

  always @(posedge clk_i) if (state_q == ARRIVE && data_valid_i) descriptor_q <= arrived;

  wire unused = &{1'b0, descriptor_q[255:192], host_end_q[63:0]}; // the fields that the engine writes

  // -- Outputs -------------------------------------------------------------------------------------------------------

  localparam [7:0] STATUS = 8'd24; // offset of the status in a descriptor
  localparam [7:0] BEAT   = BEATS[7:0] - 8'd1;

  localparam [MEM/8-1:0] WORD = {MEM/8{1'b1}} >> (MEM / 8 - 8);

  wire [63:0] status_place = {place_q[63:5], STATUS[4:0]};
  wire [7:0]  refusal      = (state_q != LOOK) ? RING_FAULT : ring_fits ? NOT_MASTER : BAD_RING;

  assign busy_o            = state_q != IDLE;
  assign next_o            = state_q == NEXT;
  assign tell_o            = next_o && code_q == OK && flags[1];
  assign halt_o            = (next_o && code_q != OK) || (state_q == LOOK && !(ring_fits && master_i)) || unreadable || lost;
  assign code_o            = next_o ? code_q : refusal;
  assign fault_o           = unreadable || lost || unwritable || untold || host_denies || host_late;
  assign fault_address_o   = (state_q == MOVE) ? moving_fault_i : writes_o ? status_place : place_q;
  assign flush_o           = unreadable || lost || untold;

  assign to_host_o         = flags[0];
  assign start_o           = state_q == JUDGE && !bad && !bad_device && !bad_host;
  assign host_o            = descriptor_q[127:64];
  assign device_o          = descriptor_q[191:128];
  assign bytes_o           = bytes[24:0];
  assign give_up_o         = state_q == MOVE && bites_q;

  assign fetches_o         = state_q == FETCH || state_q == ARRIVE;
  assign request_valid_o   = state_q == FETCH;
  assign request_address_o = {place_q[63:SIZE], {SIZE{1'b0}}};
  assign request_beats_o   = BEAT;

  assign writes_o          = state_q == OFFER || state_q == WRITE || state_q == ANSWER;
  assign burst_valid_o     = state_q == OFFER;
  assign burst_address_o   = {status_place[63:SIZE], {SIZE{1'b0}}};
  assign word_valid_o      = state_q == WRITE;
  assign word_o            = {7'd0, moved_q, 1'b1, 23'd0, code_q};
  assign word_strobe_o     = WORD << status_place[SIZE-1:0];

endmodule

`default_nettype wire
