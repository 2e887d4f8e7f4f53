// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_responses: tracks the stores in progress and the last burst of each store, and so decides which
// response completes a store.
//
// Ports
//   clk_i, rst_ni                         clock, synchronous reset
//   op_ready_o, op_valid_i, op_tag_i, op_bytes_i
//                                         a store begins, with its tag and its bytes
//   op_local_i                            with LOCAL: its bytes do not count
//   burst_ready_o, burst_valid_i, burst_last_i, burst_alone_i
//                                         a burst of the oldest store with bursts to come; whether it is the store's
//                                         last; or whether it belongs to none, and its errors are ignored
//   response_valid_i, response_error_i    the oldest burst is answered: 0, or BRESP of the bus
//   response_alone_o                      in the same cycle: that burst belongs to no store
//   done_valid_o, done_ready_i, done_tag_o  a store is complete
//   bytes_valid_o, bytes_o                one cycle: the bytes of a store that begins; else 0
//   error_o, error_decode_o, error_tag_o  one cycle: a store failed to write (a decode error, else a slave error),
//                                         after the completion of all earlier stores
//   idle_o, sole_o                        no store is in progress; none but one is
//
// Parameters
//   TAG, BYTES                            bits of a tag, of op_bytes_i
//   STORES                                maximum number of stores in progress
//   BURSTS                                maximum number of bursts without a response
//   LOCAL                                 1: there are stores whose bytes do not count
//
// Latency: done_valid_o two cycles after a response.

`default_nettype none

`include "tulle_isa.vh"

module tulle_store_responses #(
  parameter TAG      = `TULLE_TAG_WIDTH,
  parameter BYTES    = 43,
  parameter STORES   = 8,
  parameter BURSTS   = 32,
  parameter LOCAL    = 0
) (
  input  wire                clk_i,
  input  wire                rst_ni,

  output wire                op_ready_o,
  input  wire                op_valid_i,
  input  wire [TAG-1:0]      op_tag_i,
  input  wire [BYTES-1:0]    op_bytes_i,
  input  wire                op_local_i,

  output wire                burst_ready_o,
  input  wire                burst_valid_i,
  input  wire                burst_last_i,
  input  wire                burst_alone_i,

  input  wire                response_valid_i,
  input  wire [1:0]          response_error_i,
  output wire                response_alone_o,

  output wire                done_valid_o,
  input  wire                done_ready_i,
  output wire [TAG-1:0]      done_tag_o,
  output wire                bytes_valid_o,
  output wire [BYTES-1:0]    bytes_o,

  output wire                error_o,
  output wire                error_decode_o,
  output wire [TAG-1:0]      error_tag_o,
  output wire                idle_o,
  output wire                sole_o
);

  localparam COUNT = $clog2(STORES + 1);

  // -- Stores, in order ----------------------------------------------------------------------------------------

  wire                oldest_valid;
  wire                oldest_gone;
  tulle_fifo #(
    .WIDTH (TAG),
    .DEPTH (STORES)
  ) u_stores (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (op_valid_i),
    .ready_o (op_ready_o),
    .data_i  (op_tag_i),
    .valid_o (oldest_valid),
    .ready_i (oldest_gone),
    .data_o  (done_tag_o)
  );

  reg  [COUNT-1:0] stores_q; // in progress
  wire             begins = op_valid_i && op_ready_o;

  always @(posedge clk_i) begin
    if (!rst_ni) stores_q <= {COUNT{1'b0}};
    else         stores_q <= stores_q + {{COUNT-1{!begins && oldest_gone}}, begins != oldest_gone};
  end

  assign sole_o = stores_q == {{COUNT-1{1'b0}}, 1'b1};

  // -- Responses -----------------------------------------------------------------------------------------------

  wire burst_valid;
  wire burst_last;
  wire burst_alone;

  tulle_fifo #(
    .WIDTH (2),
    .DEPTH (BURSTS)
  ) u_bursts (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (burst_valid_i),
    .ready_o (burst_ready_o),
    .data_i  ({burst_alone_i, burst_last_i}),
    .valid_o (burst_valid),
    .ready_i (response_valid_i),
    .data_o  ({burst_alone, burst_last})
  );

  tulle_assert #(
    .MESSAGE ("a response belongs to a burst")
  ) u_response_of_burst (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!response_valid_i || burst_valid)
  );

  reg  [COUNT-1:0] over_q;   // completed stores that are still in the queue
  reg              failed_q; // the first store after the completed ones has failed
  reg              decode_q;
  reg              told_q;
  wire             of_store    = response_valid_i && !burst_alone;
  wire             store_ends  = of_store && burst_last && response_error_i == 2'd0 && !failed_q;
  wire             store_fails = of_store && response_error_i != 2'd0 && !failed_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      over_q   <= {COUNT{1'b0}};
      {failed_q, told_q} <= 2'd0;
    end else begin
      over_q   <= over_q + {{COUNT-1{!store_ends && oldest_gone}}, store_ends != oldest_gone};
      failed_q <= failed_q || store_fails;
      told_q   <= told_q || error_o;
    end
  end

  always @(posedge clk_i) begin
    if (store_fails) decode_q <= response_error_i[0];
  end

  assign done_valid_o   = over_q != {COUNT{1'b0}};
  assign oldest_gone    = done_valid_o && done_ready_i;
  assign error_o        = failed_q && !told_q && !done_valid_o;
  assign error_decode_o = decode_q;
  assign error_tag_o    = done_tag_o;
  assign idle_o         = !oldest_valid;

  assign response_alone_o = response_valid_i && burst_alone;

  // -- Bytes ---------------------------------------------------------------------------------------------------

  reg                bytes_valid_q;
  reg [BYTES-1:0]    bytes_q;

  always @(posedge clk_i) begin
    if (!rst_ni) bytes_valid_q <= 1'b0;
    else         bytes_valid_q <= begins;
  end

  always @(posedge clk_i) bytes_q <= (begins && !(LOCAL != 0 && op_local_i)) ? op_bytes_i : {BYTES{1'b0}};

  assign bytes_valid_o = bytes_valid_q;
  assign bytes_o       = bytes_q;

endmodule

`default_nettype wire
