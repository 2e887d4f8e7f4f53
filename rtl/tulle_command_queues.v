// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_queues: the queues load (0), distribute (1), store (2) and accumulate (3). All share one block RAM;
// the head of each queue is in registers.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   write_i, write_queue_i,      the early part of the queue's next operation; not while an operation of this queue
//   early_i                      waits to be pushed
//   late_write_i, push_queue_i,  the late part of the queue's next operation
//   late_i
//   push_i, push_queue_i         the next operation is complete, a cycle after its late part or later; only when there is room
//   room_o                       bit q: queue q is not full; an operation counts until it is taken at its port
//   empty_o                      bit q: queue q is empty
//   settled_o                    no operation is moving to a head
//   waiting_o                    bit q: the operation at the head of queue q waits to be offered
//   start_i                      bit q: offer the head of queue q
//   head_early_o, head_late_o    the heads of all queues, queue 0 in the lowest bits
//   valid_o, ready_i             bit q: the stream of queue q's head
//
// Parameters
//   EARLY, LATE                  bits of the two parts of an operation
//   DEPTH                        operations of a queue
//
// Latency: an operation that is pushed into an empty queue reaches the head two cycles later. The next operation
// reaches the head three cycles after the last one was taken.

`default_nettype none

module tulle_command_queues #(
  parameter EARLY = 8,
  parameter LATE  = 8,
  parameter DEPTH = 4
) (
  input  wire               clk_i,
  input  wire               rst_ni,

  input  wire               write_i,
  input  wire [1:0]         write_queue_i,
  input  wire [EARLY-1:0]   early_i,
  input  wire               late_write_i,
  input  wire               push_i,
  input  wire [1:0]         push_queue_i,
  input  wire [LATE-1:0]    late_i,
  output wire [3:0]         room_o,
  output wire [3:0]         empty_o,
  output wire               settled_o,

  output wire [3:0]         waiting_o,
  input  wire [3:0]         start_i,
  output wire [4*EARLY-1:0] head_early_o,
  output wire [4*LATE-1:0]  head_late_o,
  output wire [3:0]         valid_o,
  input  wire [3:0]         ready_i
);

  tulle_require #(
    .LEGAL   (DEPTH >= 2 && DEPTH <= 16),
    .MESSAGE ("tulle_command_queues: DEPTH must be 2..16")
  ) u_require_depth_2_to_16 ();

  // One place more than operations, for the part that is written early.
  localparam ADDR = $clog2(DEPTH + 1);
  localparam ROWS = 4 << ADDR;

  wire [4*ADDR-1:0] tails;
  wire [4*ADDR-1:0] heads;
  wire [3:0]        ready_to_load; // bit q: an operation is in the RAM and none is at the head
  wire [3:0]        load = ready_to_load & ~{|ready_to_load[2:0], |ready_to_load[1:0], ready_to_load[0], 1'b0};
  // Directly from there, for the RAM's address. Without an operation to load it has no meaning.
  wire [1:0]        load_queue = {!ready_to_load[0] && !ready_to_load[1],
                                  !ready_to_load[0] && (ready_to_load[1] || !ready_to_load[2])};

  reg [3:0]      loading_q;
  reg [ADDR-1:0] write_tail;
  reg [ADDR-1:0] push_tail;
  reg [ADDR-1:0] load_head;
  integer        i;

  always @* begin
    write_tail = {ADDR{1'b0}};
    push_tail  = {ADDR{1'b0}};
    load_head  = {ADDR{1'b0}};
    for (i = 0; i < 4; i = i + 1) begin
      if (write_queue_i == i[1:0]) write_tail = write_tail | tails[ADDR*i +: ADDR];
      if (push_queue_i == i[1:0])  push_tail  = push_tail | tails[ADDR*i +: ADDR];
      if (load_queue == i[1:0])    load_head  = load_head | heads[ADDR*i +: ADDR];
    end
  end

  always @(posedge clk_i) loading_q <= rst_ni ? load : 4'b0000;

  wire [EARLY-1:0] early;
  wire [LATE-1:0]  late;

  tulle_block_ram #(
    .WIDTH (EARLY),
    .DEPTH (ROWS)
  ) u_early (
    .clk_i   (clk_i),
    .we_i    (write_i),
    .waddr_i ({write_queue_i, write_tail}),
    .wdata_i (early_i),
    .re_i    (ready_to_load != 4'b0000),
    .raddr_i ({load_queue, load_head}),
    .rdata_o (early)
  );

  tulle_block_ram #(
    .WIDTH (LATE),
    .DEPTH (ROWS)
  ) u_late (
    .clk_i   (clk_i),
    .we_i    (late_write_i),
    .waddr_i ({push_queue_i, push_tail}),
    .wdata_i (late_i),
    .re_i    (ready_to_load != 4'b0000),
    .raddr_i ({load_queue, load_head}),
    .rdata_o (late)
  );

  genvar q;
  generate
    for (q = 0; q < 4; q = q + 1) begin : gen_queue
      localparam [1:0] NUMBER = q;

      reg [ADDR-1:0]  tail_q;
      reg [ADDR-1:0]  head_q;
      reg [ADDR-1:0]  count_q;  // operations, including the head
      reg             held_q;   // an operation is at the head
      reg             offered_q;
      reg [EARLY-1:0] early_q;
      reg [LATE-1:0]  late_q;

      wire push = push_i && push_queue_i == NUMBER;
      wire pop  = offered_q && ready_i[q];

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          tail_q    <= {ADDR{1'b0}};
          head_q    <= {ADDR{1'b0}};
          {count_q, held_q, offered_q} <= {ADDR+2{1'b0}};
        end else begin
          if (push)    tail_q <= tail_q + 1'b1;
          if (load[q]) head_q <= head_q + 1'b1;
          count_q   <= count_q + {{ADDR-1{pop && !push}}, push != pop};
          held_q    <= loading_q[q] || (held_q && !pop);
          offered_q <= start_i[q] || (offered_q && !ready_i[q]);
        end
      end

      always @(posedge clk_i) begin
        if (loading_q[q]) begin
          early_q <= early;
          late_q  <= late;
        end
      end

      assign tails[ADDR*q +: ADDR]           = tail_q;
      assign heads[ADDR*q +: ADDR]           = head_q;
      assign ready_to_load[q]                = !held_q && !loading_q[q] && (count_q != {ADDR{1'b0}} || push);
      assign room_o[q]                       = count_q != DEPTH[ADDR-1:0];
      assign empty_o[q]                      = count_q == {ADDR{1'b0}};
      assign waiting_o[q]                    = held_q && !offered_q;
      assign valid_o[q]                      = offered_q;
      assign head_early_o[EARLY*q +: EARLY]  = early_q;
      assign head_late_o[LATE*q +: LATE]     = late_q;

      tulle_assert #(
        .MESSAGE("no operation is pushed into a full queue")
      ) u_no_overflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!push || room_o[q])
      );

      tulle_assert #(
        .MESSAGE("only an operation that waits is offered")
      ) u_start_waiting (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!start_i[q] || waiting_o[q])
      );
    end
  endgenerate

  assign settled_o = ready_to_load == 4'b0000 && loading_q == 4'b0000;

endmodule

`default_nettype wire
