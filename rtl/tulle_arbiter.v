// SPDX-License-Identifier: Apache-2.0
//
// tulle_arbiter: a round-robin arbiter for packets of several streams. It passes on one whole packet at a time. The
// search for the next port begins after the port that was served last.
//
// Ports
//   clk_i, rst_ni                      clock, synchronous reset
//   valid_i, ready_o, last_i, data_i   the input streams; bit or word p belongs to port p
//   may_begin_i                        bit p: port p may begin a packet. A packet that has begun continues.
//   abandon_i                          bit p: port p does not finish its packet, because its cluster has stopped
//   valid_o, ready_i, last_o, data_o   the output stream
//   index_o                            the port that data_o comes from
//
// Parameters
//   WIDTH                              bits of a word
//   PORTS                              ports
//
// Latency: none for data. The grant is a register: a packet waits one cycle for an idle arbiter, and a port waits one
// cycle between two packets if other ports exist. Packets of different ports follow each other without a gap. A
// single port has its next grant in advance, so that its packets follow each other without a gap.

`default_nettype none

module tulle_arbiter #(
  parameter WIDTH = 8,
  parameter PORTS = 2
) (
  input  wire                                   clk_i,
  input  wire                                   rst_ni,

  input  wire [PORTS-1:0]                       valid_i,
  output wire [PORTS-1:0]                       ready_o,
  input  wire [PORTS-1:0]                       last_i,
  input  wire [PORTS*WIDTH-1:0]                 data_i,
  input  wire [PORTS-1:0]                       may_begin_i,
  input  wire [PORTS-1:0]                       abandon_i,

  output wire                                   valid_o,
  input  wire                                   ready_i,
  output wire                                   last_o,
  output wire [WIDTH-1:0]                       data_o,
  output wire [$clog2((PORTS > 1) ? PORTS : 2)-1:0] index_o
);

  localparam INDEX_WIDTH = $clog2((PORTS > 1) ? PORTS : 2);

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && PORTS >= 1),
    .MESSAGE ("tulle_arbiter: WIDTH and PORTS must be at least 1")
  ) u_require_width_and_ports_at_least_1 ();

  generate
    if (PORTS == 1) begin : gen_single
      reg  granted_q;
      wire packet_over = valid_o && ready_i && last_i;

      always @(posedge clk_i) begin
        if (!rst_ni)                 granted_q        <= 1'b0;
        else if (packet_over || !granted_q) granted_q <= may_begin_i;
      end

      assign valid_o = valid_i && granted_q;
      assign ready_o = ready_i && granted_q;
      assign last_o  = last_i;
      assign data_o  = data_i;
      assign index_o = 1'b0;

      wire unused = &{1'b0, abandon_i};
    end else begin : gen_many
      reg                   granted_q;
      reg [INDEX_WIDTH-1:0] index_q; // the port granted, or the last one that was
      reg [PORTS-1:0]       grant_q; // the same as one bit for each port; 0 if no port is granted

      // Among the other waiting ports, the first after the one served last is next, or else the first of all.
      wire [PORTS-1:0] waiting = valid_i & may_begin_i & ~grant_q;

      reg                   found;
      reg                   found_after;
      reg [INDEX_WIDTH-1:0] next_index;
      integer               i;

      always @* begin
        found       = 1'b0;
        found_after = 1'b0;
        next_index  = index_q;
        for (i = PORTS - 1; i >= 0; i = i - 1) begin
          if (waiting[i] && (i[INDEX_WIDTH-1:0] > index_q || !found_after)) begin
            next_index  = i[INDEX_WIDTH-1:0];
            found_after = found_after || (i[INDEX_WIDTH-1:0] > index_q);
            found       = 1'b1;
          end
        end
      end

      wire packet_over = (valid_o && ready_i && last_o) || ((grant_q & abandon_i & ~valid_i) != {PORTS{1'b0}});

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          granted_q <= 1'b0;
          grant_q   <= {PORTS{1'b0}};
          index_q   <= {INDEX_WIDTH{1'b0}};
        end else if (packet_over || !granted_q) begin
          granted_q <= found;
          grant_q   <= found ? {{PORTS-1{1'b0}}, 1'b1} << next_index : {PORTS{1'b0}};
          index_q   <= next_index;
        end
      end

      assign valid_o = (valid_i & grant_q) != {PORTS{1'b0}};
      assign ready_o = ready_i ? grant_q : {PORTS{1'b0}};
      assign last_o  = last_i[index_q];
      assign data_o  = data_i[index_q*WIDTH +: WIDTH];
      assign index_o = index_q;
    end
  endgenerate

endmodule

`default_nettype wire
