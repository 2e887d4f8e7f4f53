// SPDX-License-Identifier: Apache-2.0
//
// AXI4 memory for the benches of the memory ports. A read gives words that the address tells (bench_memory_word.vh); the
// bench looks at what is written. Bit 40 of a burst's address: SLVERR, bit 41: DECERR. Bursts of an ID are answered
// in order, those of different IDs beat by beat in any order, and not before a random time up to LATENCY has passed.
// STALL: per cent of cycles in which a channel does nothing.

`default_nettype none

module bench_read_memory #(
  parameter MEM     = 64,
  parameter LATENCY = 20,
  parameter STALL   = 30,
  parameter LIMIT   = 32,  // bursts of an ID under way
  parameter READY   = 1,   // 1: it is an error when a beat has to wait
  parameter SEED    = 1
) (
  input  wire           clk_i,
  input  wire           rst_ni,
  input  wire           dead_i, // no answers
  input  wire           arvalid_i,
  output reg            arready_o,
  input  wire [1:0]     arid_i,
  input  wire [63:0]    araddr_i,
  input  wire [7:0]     arlen_i,
  input  wire [2:0]     arsize_i,
  input  wire [1:0]     arburst_i,
  output reg            rvalid_o,
  input  wire           rready_i,
  output reg  [1:0]     rid_o,
  output wire [MEM-1:0] rdata_o,
  output reg  [1:0]     rresp_o,
  output reg            rlast_o
);
  localparam PLACES = 512;

`include "bench_memory_word.vh"

  reg [63:0] address [0:4*PLACES-1];
  reg [7:0]  beats   [0:4*PLACES-1];
  integer    due     [0:4*PLACES-1];
  integer    head    [0:3];
  integer    tail    [0:3];
  integer    sent    [0:3]; // beats of the oldest burst
  integer    now, seed, i, chosen, try, at;
  reg [63:0] raddr_q;

  function integer draw(input integer below);
    begin
      seed = seed * 1103515245 + 12345;
      draw = {16'd0, seed[30:15]} % below;
    end
  endfunction

  initial seed = SEED;

  always @(posedge clk_i) begin
    now       <= now + 1;
    arready_o <= draw(100) >= STALL;
    if (!rst_ni) begin
      now      <= 0;
      rvalid_o <= 1'b0;
      for (i = 0; i < 4; i = i + 1) begin
        head[i] = 0;
        tail[i] = 0;
        sent[i] = 0;
      end
    end else begin
      if (arvalid_i && arready_o) begin
        at          = arid_i * PLACES + tail[arid_i] % PLACES;
        address[at] = araddr_i;
        beats[at]   = arlen_i;
        due[at]     = now + ((LATENCY > 0 && STALL > 0) ? draw(LATENCY) : LATENCY);
        tail[arid_i] = tail[arid_i] + 1;
        if (arsize_i != $clog2(MEM / 8) || arburst_i != 2'b01 || tail[arid_i] - head[arid_i] > LIMIT) begin
          $display("%m: size %0d, burst %b, %0d under way", arsize_i, arburst_i, tail[arid_i] - head[arid_i]);
          $fatal(1);
        end
      end
      if (READY != 0 && !rready_i) begin
        $display("%m: rready is 0");
        $fatal(1);
      end
      if (!rvalid_o || rready_i) rvalid_o <= 1'b0;
      chosen = -1;
      try    = draw(4);
      for (i = 0; i < 4; i = i + 1) begin
        at = try * PLACES + head[try] % PLACES;
        if (head[try] != tail[try] && due[at] <= now) chosen = try;
        try = (try + 1) % 4;
      end
      if (chosen >= 0 && !dead_i && draw(100) >= STALL && !(rvalid_o && !rready_i)) begin
        at       = chosen * PLACES + head[chosen] % PLACES;
        rvalid_o <= 1'b1;
        rid_o    <= chosen;
        raddr_q  <= address[at] + sent[chosen] * (MEM / 8);
        rresp_o  <= address[at][41] ? 2'b11 : address[at][40] ? 2'b10 : 2'b00;
        rlast_o  <= sent[chosen] == beats[at];
        if (sent[chosen] == beats[at]) begin
          sent[chosen] = 0;
          head[chosen] = head[chosen] + 1;
        end else begin
          sent[chosen] = sent[chosen] + 1;
        end
      end
    end
  end

  genvar l;
  generate
    for (l = 0; l < MEM / 64; l = l + 1) begin : gen_lane
      wire [60:0] granule = raddr_q[63:3] + l;
      assign rdata_o[l*64 +: 64] = memory_word(granule);
    end
  endgenerate

  // Soft resets do not excuse a change: the rules hold from reset to reset.
  tulle_burst_check #(.MEM(MEM)) u_address_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(arvalid_i), .ready_i(arready_o), .address_i(araddr_i), .beats_i(arlen_i));
  tulle_stream_check #(.WIDTH(2)) u_id_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(arvalid_i), .ready_i(arready_o), .data_i(arid_i));
endmodule

// take_o: a beat, of the burst at address_o, number beat_o of it.
module bench_write_memory #(
  parameter MEM     = 64,
  parameter LATENCY = 20,
  parameter STALL   = 30,
  parameter LIMIT   = 16,
  parameter SEED    = 1
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             dead_i,
  input  wire             awvalid_i,
  output reg              awready_o,
  input  wire [1:0]       awid_i,
  input  wire [63:0]      awaddr_i,
  input  wire [7:0]       awlen_i,
  input  wire [2:0]       awsize_i,
  input  wire [1:0]       awburst_i,
  input  wire             wvalid_i,
  output reg              wready_o,
  input  wire [MEM-1:0]   wdata_i,
  input  wire [MEM/8-1:0] wstrb_i,
  input  wire             wlast_i,
  output reg              bvalid_o,
  input  wire             bready_i,
  output reg  [1:0]       bid_o,
  output reg  [1:0]       bresp_o,
  output wire             idle_o // every burst has its beats and its answer
);
  localparam PLACES = 512;

  reg [7:0]  beats   [0:PLACES-1]; // of bursts whose address was taken, in order
  reg [1:0]  ids     [0:PLACES-1];
  reg [1:0]  resps   [0:PLACES-1];
  integer    due     [0:PLACES-1];
  integer    lengths [0:PLACES-1];
  reg        told    [0:PLACES-1];
  integer    first, addressed, filled, sent, now, seed, i, chosen;
  reg [3:0]  blocked;

  function integer draw(input integer below);
    begin
      seed = seed * 1103515245 + 12345;
      draw = {16'd0, seed[30:15]} % below;
    end
  endfunction

  initial seed = SEED;
  assign idle_o = first == addressed && first == filled && sent == 0;

  always @(posedge clk_i) begin
    now       <= now + 1;
    awready_o <= draw(100) >= STALL && !dead_i;
    wready_o  <= draw(100) >= STALL && !dead_i;
    bvalid_o  <= 1'b0;
    if (!rst_ni) begin
      now       <= 0;
      first     = 0;
      addressed = 0;
      filled    = 0;
      sent      = 0;
      for (i = 0; i < PLACES; i = i + 1) told[i] = 1'b0;
    end else begin
      if (awvalid_i && awready_o) begin
        i        = addressed % PLACES;
        beats[i] = awlen_i;
        ids[i]   = awid_i;
        resps[i] = awaddr_i[41] ? 2'b11 : awaddr_i[40] ? 2'b10 : 2'b00;
        told[i]  = 1'b0;
        addressed = addressed + 1;
        if (awsize_i != $clog2(MEM / 8) || awburst_i != 2'b01 || addressed - first > 4 * LIMIT) begin
          $display("%m: size %0d, burst %b, %0d under way", awsize_i, awburst_i, addressed - first);
          $fatal(1);
        end
      end
      // Beats may come before their address; lengths are compared when both are there.
      if (wvalid_i && wready_o) begin
        if (filled < addressed && (wlast_i != (sent == beats[filled % PLACES]))) begin
          $display("%m: beat %0d of %0d, last %b", sent, beats[filled % PLACES], wlast_i);
          $fatal(1);
        end
        sent = sent + 1;
        if (wlast_i) begin
          lengths[filled % PLACES] = sent;
          due[filled % PLACES]     = now + draw(LATENCY + 1);
          filled = filled + 1;
          sent   = 0;
        end
      end
      blocked = 4'd0;
      chosen  = -1;
      for (i = first; i < addressed && i < filled; i = i + 1) begin
        if (lengths[i % PLACES] != beats[i % PLACES] + 1) begin
          $display("%m: a burst of %0d beats has %0d", beats[i % PLACES] + 1, lengths[i % PLACES]);
          $fatal(1);
        end
        if (!told[i % PLACES]) begin
          if (chosen < 0 && !blocked[ids[i % PLACES]] && due[i % PLACES] <= now && draw(2) == 0) chosen = i % PLACES;
          blocked = blocked | (4'd1 << ids[i % PLACES]);
        end
      end
      if (chosen >= 0 && !dead_i && draw(100) >= STALL) begin
        told[chosen] = 1'b1;
        bvalid_o <= 1'b1;
        bid_o    <= ids[chosen];
        bresp_o  <= resps[chosen];
      end
      while (first < addressed && first < filled && told[first % PLACES]) begin
        told[first % PLACES] = 1'b0;
        first = first + 1;
      end
      if (!bready_i) begin
        $display("%m: bready is 0");
        $fatal(1);
      end
    end
  end

  tulle_burst_check #(.MEM(MEM)) u_address_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(awvalid_i), .ready_i(awready_o), .address_i(awaddr_i), .beats_i(awlen_i));
  tulle_stream_check #(.WIDTH(2)) u_id_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(awvalid_i), .ready_i(awready_o), .data_i(awid_i));
  tulle_stream_check #(.WIDTH(MEM + MEM/8 + 1)) u_beat_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(wvalid_i), .ready_i(wready_o), .data_i({wdata_i, wstrb_i, wlast_i}));
endmodule

`default_nettype wire
