// SPDX-License-Identifier: Apache-2.0
//
// tulle_issue_ring: holds the MACs that are issued to a PE, from issue until their result is in the output queue. Two
// readers follow the issue in order: the scan, which needs addresses, and the closer, which needs the destination of
// the result.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   start_i, scan_i, close_i      a MAC is issued, with its data for the scan and for the closer
//   ready_o                       there is room; a reader may see ready_o two cycles late, or more with
//                                 a larger SLACK
//   scan_valid_o, scan_o          the oldest MAC whose scan has not ended
//   scan_done_i                   the scan of this MAC ends
//   close_o, close_take_i         the oldest MAC that is not summed up, and that it is taken
//   close_done_i                  a MAC is closed
//   idle_o                        every MAC is closed
//
// Parameters
//   SCAN_WIDTH, CLOSE_WIDTH       bits for each of the two readers
//   DEPTH                         maximum number of MACs whose scan has not ended; ready_o falls with one more
//   PLACES                        maximum number of MACs issued and not closed, a power of two; progress is compared
//                                 with neighbours modulo twice this number
//   SLACK                         MACs that may still be issued when ready_o falls: 3, and 1 for each further cycle
//
// Latency: a MAC appears at scan_o in the cycle after start_i.

`default_nettype none

module tulle_issue_ring #(
  parameter SCAN_WIDTH  = 28,
  parameter CLOSE_WIDTH = 14,
  parameter DEPTH       = 4,
  parameter PLACES      = 16,
  parameter SLACK       = 3
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   start_i,
  input  wire [SCAN_WIDTH-1:0]  scan_i,
  input  wire [CLOSE_WIDTH-1:0] close_i,
  output wire                   ready_o,

  output wire                   scan_valid_o,
  output wire [SCAN_WIDTH-1:0]  scan_o,
  input  wire                   scan_done_i,

  output wire [CLOSE_WIDTH-1:0] close_o,
  input  wire                   close_take_i,
  input  wire                   close_done_i,

  output wire                   idle_o
);

  localparam ADDR  = $clog2(PLACES);
  localparam SCAN_LIMIT = (DEPTH + 1 > PLACES - SLACK) ? PLACES - SLACK : DEPTH + 1; // one MAC is moving to the ring
  localparam SCANS = $clog2(SCAN_LIMIT + SLACK + 1);
  localparam integer SCAN_LAST = SCAN_LIMIT - 1;
  localparam integer CLOSE_LAST = PLACES - SLACK - 1;

  tulle_require #(
    .LEGAL   (PLACES >= 8 && (PLACES & (PLACES - 1)) == 0 && DEPTH >= 2),
    .MESSAGE ("tulle_issue_ring: PLACES must be a power of two, at least 8, and DEPTH at least 2")
  ) u_require_places_power_of_two_and_depth_at_least_2 ();

  reg [ADDR-1:0]  issued_q;
  reg [ADDR-1:0]  scanned_q;
  reg [ADDR-1:0]  taken_q;
  reg [SCANS-1:0] to_scan_q;  // MACs whose scan has not ended
  reg [ADDR:0]    to_close_q; // MACs that are not closed
  reg             ready_q;
  reg             scan_valid_q;
  reg             idle_q;

  // Adding a signed 1 or -1 takes one adder for each counter.
  wire [SCANS-1:0] to_scan_d  = to_scan_q + {{SCANS-1{scan_done_i && !start_i}}, start_i ^ scan_done_i};
  wire [ADDR:0]    to_close_d = to_close_q + {{ADDR{close_done_i && !start_i}}, start_i ^ close_done_i};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      issued_q     <= {ADDR{1'b0}};
      scanned_q    <= {ADDR{1'b0}};
      taken_q      <= {ADDR{1'b0}};
      to_scan_q    <= {SCANS{1'b0}};
      to_close_q   <= {ADDR+1{1'b0}};
      {ready_q, scan_valid_q} <= 2'd0;
      idle_q       <= 1'b1;
    end else begin
      if (start_i)      issued_q  <= issued_q + 1'b1;
      if (scan_done_i)  scanned_q <= scanned_q + 1'b1;
      if (close_take_i) taken_q   <= taken_q + 1'b1;
      to_scan_q    <= to_scan_d;
      to_close_q   <= to_close_d;
      ready_q      <= to_scan_q <= SCAN_LAST[SCANS-1:0] && to_close_q <= CLOSE_LAST[ADDR:0];
      scan_valid_q <= to_scan_d != {SCANS{1'b0}};
      idle_q       <= to_close_d == {ADDR+1{1'b0}};
    end
  end

  initial scanned_q = {ADDR{1'b0}}; // tulle_lutram says why

  tulle_lutram #(
    .WIDTH (SCAN_WIDTH),
    .DEPTH (PLACES)
  ) u_scan (
    .clk_i   (clk_i),
    .we_i    (start_i),
    .waddr_i (issued_q),
    .wdata_i (scan_i),
    .raddr_i (scanned_q),
    .rdata_o (scan_o)
  );

  initial taken_q = {ADDR{1'b0}}; // tulle_lutram says why

  tulle_lutram #(
    .WIDTH (CLOSE_WIDTH),
    .DEPTH (PLACES)
  ) u_close (
    .clk_i   (clk_i),
    .we_i    (start_i),
    .waddr_i (issued_q),
    .wdata_i (close_i),
    .raddr_i (taken_q),
    .rdata_o (close_o)
  );

  assign ready_o      = ready_q;
  assign scan_valid_o = scan_valid_q;
  assign idle_o       = idle_q && !start_i;

  tulle_assert #(
    .MESSAGE ("a MAC is issued only where there is a place")
  ) u_no_overflow (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(start_i && (to_close_q == PLACES[ADDR:0] || &to_scan_q)))
  );

  tulle_assert #(
    .MESSAGE ("only a MAC that is there ends")
  ) u_no_underflow (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(scan_done_i && !scan_valid_q) && !(close_done_i && to_close_q == {ADDR+1{1'b0}}))
  );

endmodule

`default_nettype wire
