// SPDX-License-Identifier: Apache-2.0
//
// tulle_fifo: a first-in first-out queue between two valid/ready streams.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset (empties the queue)
//   valid_i, ready_o, data_i  the input stream
//   valid_o, ready_i, data_o  the output stream
//
// Parameters
//   WIDTH                     bits of a word
//   DEPTH                     words; need not be a power of two
//
// Latency: one cycle from an input to an empty queue's output. Both handshake outputs are registers, so no path leads
// from ready_i to ready_o. One word a cycle; a queue of depth 1 takes a word every other cycle. data_o is an output
// of LUT RAM.

`default_nettype none

module tulle_fifo #(
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
    .LEGAL   (WIDTH >= 1 && DEPTH >= 1),
    .MESSAGE ("tulle_fifo: WIDTH and DEPTH must be at least 1")
  ) u_require_width_and_depth_at_least_1 ();

  wire push = valid_i && ready_o;
  wire pop  = valid_o && ready_i;

  generate
    if (DEPTH == 1) begin : gen_register
      reg             valid_q;
      reg [WIDTH-1:0] data_q;

      always @(posedge clk_i) begin
        if (!rst_ni)   valid_q <= 1'b0;
        else if (push) valid_q <= 1'b1;
        else if (pop)  valid_q <= 1'b0;
      end

      always @(posedge clk_i) begin
        if (push) data_q <= data_i;
      end

      assign valid_o = valid_q;
      assign ready_o = !valid_q;
      assign data_o  = data_q;
    end else begin : gen_memory
      localparam ADDR_WIDTH  = $clog2(DEPTH);
      localparam COUNT_WIDTH = $clog2(DEPTH + 1);
      localparam LAST        = DEPTH - 1;
      localparam WRAPS       = DEPTH != 1 << ADDR_WIDTH; // a power of two wraps by itself
      localparam [COUNT_WIDTH-1:0] ONE = 1;

      reg [ADDR_WIDTH-1:0]  head_q;
      reg [ADDR_WIDTH-1:0]  tail_q;
      reg [COUNT_WIDTH-1:0] count_q;
      wire [COUNT_WIDTH-1:0] count_d;
      reg                   valid_q;
      reg                   ready_q;

      // One adder counts up, down or not at all.
      assign count_d = count_q + {{COUNT_WIDTH-1{pop && !push}}, push != pop};

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          head_q  <= {ADDR_WIDTH{1'b0}};
          tail_q  <= {ADDR_WIDTH{1'b0}};
          count_q <= {COUNT_WIDTH{1'b0}};
          {valid_q, ready_q} <= 2'd0;
        end else begin
          if (push) tail_q <= (WRAPS && tail_q == LAST[ADDR_WIDTH-1:0]) ? {ADDR_WIDTH{1'b0}} : tail_q + 1'b1;
          if (pop)  head_q <= (WRAPS && head_q == LAST[ADDR_WIDTH-1:0]) ? {ADDR_WIDTH{1'b0}} : head_q + 1'b1;
          count_q <= count_d;
          // Not from count_d, because ready_i arrives late.
          valid_q <= push || (valid_q && !(pop && count_q == ONE));
          ready_q <= pop || !(count_q == DEPTH[COUNT_WIDTH-1:0] || (push && count_q == LAST[COUNT_WIDTH-1:0]));
        end
      end

      initial head_q = {ADDR_WIDTH{1'b0}}; // tulle_lutram says why

      tulle_lutram #(
        .WIDTH (WIDTH),
        .DEPTH (DEPTH)
      ) u_words (
        .clk_i   (clk_i),
        .we_i    (push),
        .waddr_i (tail_q),
        .wdata_i (data_i),
        .raddr_i (head_q),
        .rdata_o (data_o)
      );

      assign valid_o = valid_q;
      assign ready_o = ready_q;

      tulle_assert #(
        .MESSAGE("never more words than places")
      ) u_no_overflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(push && count_q == DEPTH[COUNT_WIDTH-1:0]))
      );
    end
  endgenerate

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
