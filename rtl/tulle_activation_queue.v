// SPDX-License-Identifier: Apache-2.0
//
// tulle_activation_queue: beats of operands on their way to the loaders, which take them more slowly than the
// row bus brings them. A queue in block RAM.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset (empties the queue)
//   valid_i, ready_o, data_i  the stream in
//   valid_o, ready_i, data_o  the stream out
//
// Parameters
//   WIDTH                     bits of a word
//   DEPTH                     words in the RAM, a power of two; one more is held at the output
//
// Latency: two cycles from an input to an empty queue's output. Both handshake outputs are registers; data_o is
// the RAM's output register. One word a cycle.

`default_nettype none

module tulle_activation_queue #(
  parameter WIDTH = 8,
  parameter DEPTH = 16
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             valid_i,
  output wire             ready_o,
  input  wire [WIDTH-1:0] data_i,

  output wire             valid_o,
  input  wire             ready_i,
  output wire [WIDTH-1:0] data_o
);

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && DEPTH >= 1 && (DEPTH & (DEPTH - 1)) == 0),
    .MESSAGE ("tulle_activation_queue: WIDTH must be at least 1, DEPTH a power of two")
  ) u_require_width_at_least_1_and_depth_power_of_two ();

  localparam ADDR = $clog2((DEPTH > 1) ? DEPTH : 2);

  reg [ADDR:0] head_q; // one bit more than the address, so that full and empty differ
  reg [ADDR:0] tail_q;
  reg          ready_q;
  reg          valid_q; // the RAM's output is the head of the queue

  localparam [ADDR:0] FULL = DEPTH;

  wire          push   = valid_i && ready_q;
  wire          pop    = valid_q && ready_i;
  wire          read   = head_q != tail_q && (pop || !valid_q);
  wire [ADDR:0] head_d = head_q + {{ADDR{1'b0}}, read};
  wire [ADDR:0] tail_d = tail_q + {{ADDR{1'b0}}, push};
  wire [ADDR:0] count  = tail_d - head_d;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q  <= {ADDR+1{1'b0}};
      tail_q  <= {ADDR+1{1'b0}};
      ready_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      head_q  <= head_d;
      tail_q  <= tail_d;
      ready_q <= count != FULL;
      valid_q <= read || (valid_q && !pop);
    end
  end

  wire [ADDR-1:0] write_address;
  wire [ADDR-1:0] read_address;
  generate
    if (DEPTH == 1) begin : gen_one_word
      assign write_address = 1'b0;
      assign read_address  = 1'b0;
    end else begin : gen_words
      assign write_address = tail_q[ADDR-1:0];
      assign read_address  = head_q[ADDR-1:0];
    end
  endgenerate

  tulle_block_ram #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH)
  ) u_words (
    .clk_i   (clk_i),
    .we_i    (push),
    .waddr_i (write_address),
    .wdata_i (data_i),
    .re_i    (read),
    .raddr_i (read_address),
    .rdata_o (data_o)
  );

  assign ready_o = ready_q;
  assign valid_o = valid_q;

  tulle_stream_check #(
    .WIDTH (WIDTH)
  ) u_input_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (valid_i),
    .ready_i (ready_o),
    .data_i  (data_i)
  );

endmodule

`default_nettype wire
