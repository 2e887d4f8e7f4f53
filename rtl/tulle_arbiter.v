// SPDX-License-Identifier: Apache-2.0
//
// tulle_arbiter: takes packets from several streams in turn and never mixes two packets.
//
// Ports
//   clk_i, rst_ni                      clock, synchronous reset
//   valid_i, ready_o, last_i, data_i   the streams in; bit or word p belongs to port p
//   may_begin_i                        bit p: port p may begin a packet; one that has begun goes on
//   abandon_i                          bit p: port p will not finish its packet (its cluster stopped)
//   valid_o, ready_i, last_o, data_o   the stream out
//   index_o                            port that data_o is from
//
// Parameters
//   WIDTH                              bits of a word
//   PORTS                              ports
//
// Latency: none for data. The grant is a register: a packet to an idle arbiter waits one cycle for it, and a
// port that sends two packets in a row waits one cycle between them; packets of different ports follow each
// other without a gap; so do those of a single port, to which the grant is given in advance. Round robin: the search for the next port begins after the last one served.

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
      wire over = valid_o && ready_i && last_i;

      always @(posedge clk_i) begin
        if (!rst_ni)                 granted_q <= 1'b0;
        else if (over || !granted_q) granted_q <= may_begin_i;
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
      reg [PORTS-1:0]       grant_q; // the same, one bit per port, 0 when none is granted

      // Of the others that wait: the first after the last one served, else the first of all.
      wire [PORTS-1:0] waiting = valid_i & may_begin_i & ~grant_q;

      reg                   found;
      reg                   found_after;
      reg [INDEX_WIDTH-1:0] next;
      integer               i;

      always @* begin
        found       = 1'b0;
        found_after = 1'b0;
        next        = index_q;
        for (i = PORTS - 1; i >= 0; i = i - 1) begin
          if (waiting[i] && (i[INDEX_WIDTH-1:0] > index_q || !found_after)) begin
            next        = i[INDEX_WIDTH-1:0];
            found_after = found_after || (i[INDEX_WIDTH-1:0] > index_q);
            found       = 1'b1;
          end
        end
      end

      wire over = (valid_o && ready_i && last_o) || ((grant_q & abandon_i & ~valid_i) != {PORTS{1'b0}});

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          granted_q <= 1'b0;
          grant_q   <= {PORTS{1'b0}};
          index_q   <= {INDEX_WIDTH{1'b0}};
        end else if (over || !granted_q) begin
          granted_q <= found;
          grant_q   <= found ? {{PORTS-1{1'b0}}, 1'b1} << next : {PORTS{1'b0}};
          index_q   <= next;
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
