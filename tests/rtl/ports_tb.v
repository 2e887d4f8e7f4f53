// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_read_port and tulle_write_port, each with clients that ask at random and a memory that stalls at
// random. Soft resets come at random, some after an abort, some while the memory answers nothing for longer than
// several of them: what a client gets must be what it asked for since the last one, whatever the memory still owes.

`default_nettype none

// Three clients of the read port. PHASES soft resets.
module bench_read_port #(
  parameter MEM         = 64,
  parameter OUTSTANDING = 8,
  parameter CLIENTS     = 3,
  parameter LATENCY     = 20,
  parameter STALL       = 30,
  parameter PHASES      = 40,
  parameter SEED        = 1
) (
  input  wire clk_i,
  input  wire rst_ni,
  output reg  done_o
);
  localparam BYTES  = MEM / 8;
  localparam PLACES = 1024;

  reg                   flush, abort, dead;
  reg  [CLIENTS-1:0]    request_valid;
  wire [CLIENTS-1:0]    request_ready;
  reg  [CLIENTS*64-1:0] request_address;
  reg  [CLIENTS*8-1:0]  request_beats;
  wire [CLIENTS-1:0]    data_valid;
  wire [MEM-1:0]        data;
  wire                  data_last, beat, idle;
  wire [1:0]            data_error;

  wire           arvalid, arready, rvalid, rready, rlast;
  wire [1:0]     arid, arburst, rid, rresp;
  wire [63:0]    araddr;
  wire [7:0]     arlen;
  wire [2:0]     arsize;
  wire [MEM-1:0] rdata;

  tulle_read_port #(.MEM(MEM), .OUTSTANDING(OUTSTANDING), .CLIENTS(CLIENTS)) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni), .flush_i(flush), .abort_i(abort),
    .request_valid_i(request_valid), .request_ready_o(request_ready), .request_address_i(request_address),
    .request_beats_i(request_beats), .data_valid_o(data_valid), .data_o(data), .data_last_o(data_last),
    .data_error_o(data_error), .local_valid_i({CLIENTS{1'b0}}), .local_data_i({MEM{1'b0}}),
    .local_last_i(1'b0), .hold_i(1'b0), .beat_o(beat), .idle_o(idle),
    .axi_arvalid_o(arvalid), .axi_arready_i(arready), .axi_arid_o(arid), .axi_araddr_o(araddr), .axi_arlen_o(arlen),
    .axi_arsize_o(arsize), .axi_arburst_o(arburst), .axi_rvalid_i(rvalid), .axi_rready_o(rready), .axi_rid_i(rid),
    .axi_rdata_i(rdata), .axi_rresp_i(rresp), .axi_rlast_i(rlast));

  bench_read_memory #(.MEM(MEM), .LATENCY(LATENCY), .STALL(STALL), .LIMIT(OUTSTANDING), .SEED(SEED)) u_memory (
    .clk_i(clk_i), .rst_ni(rst_ni), .dead_i(dead), .arvalid_i(arvalid), .arready_o(arready), .arid_i(arid),
    .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst), .rvalid_o(rvalid), .rready_i(rready),
    .rid_o(rid), .rdata_o(rdata), .rresp_o(rresp), .rlast_o(rlast));

  // What each client asked for and has not got.
  reg [63:0] address [0:CLIENTS*PLACES-1];
  reg [7:0]  beats   [0:CLIENTS*PLACES-1];
  integer    head [0:CLIENTS-1];
  integer    tail [0:CLIENTS-1];
  integer    got  [0:CLIENTS-1]; // beats of the oldest
  integer    passed [0:CLIENTS-1]; // bursts of others since it began to wait
  integer    c, at, l, quiet, phase, left, requests, due, dead_left, total, cycles;
  reg [60:0] granule;
  reg [63:0] place, from;
  reg        drained;

`include "bench_draw.vh"
`include "bench_memory_word.vh"

  task wrong(input [8*40-1:0] what);
    begin
      $display("%m: phase %0d, client %0d: %0s", phase, c, what);
      $fatal(1);
    end
  endtask

  task forget;
    for (c = 0; c < CLIENTS; c = c + 1) begin
      head[c]   = 0;
      tail[c]   = 0;
      got[c]    = 0;
      passed[c] = 0;
    end
  endtask

  initial begin
    chance        = SEED;
    request_valid = {CLIENTS{1'b0}};
    flush         = 1'b0;
    abort         = 1'b0;
    dead          = 1'b0;
    dead_left     = 0;
    phase         = 0;
    left          = 200;
    requests      = 0;
    total         = 0;
    cycles        = 0;
    done_o        = 1'b0;
    forget;
  end

  // Signals change after the clock edge, as registers would.
  always @(posedge clk_i) if (rst_ni && !done_o) begin
    cycles = cycles + 1;
    if (!flush) for (c = 0; c < CLIENTS; c = c + 1) begin
      if (data_valid[c]) begin
        if (!beat || (data_valid & ~(1 << c)) != 0) wrong("a beat for two");
        if (head[c] == tail[c]) wrong("data that nobody asked for");
        at    = c * PLACES + head[c] % PLACES;
        place = address[at] + got[c] * BYTES;
        for (l = 0; l < MEM / 64; l = l + 1) begin
          granule = place[63:3] + l;
          if (data[l*64 +: 64] !== memory_word(granule)) wrong("data");
        end
        if (data_last !== (got[c] == beats[at])) wrong("last");
        if (data_error !== (address[at][41] ? 2'd3 : address[at][40] ? 2'd2 : 2'd0)) wrong("error");
        total  = total + 1;
        got[c] = got[c] + 1;
        if (data_last) begin
          head[c] = head[c] + 1;
          got[c]  = 0;
        end
      end
    end
    // A request that is taken in this cycle is under way in the next.
    due = 0;
    for (c = 0; c < CLIENTS; c = c + 1) due = due + tail[c] - head[c];
    if (!flush && idle != (due == 0)) wrong("idle");
    for (c = 0; c < CLIENTS; c = c + 1) begin
      if (request_valid[c] && request_ready[c]) begin
        if (abort || flush) wrong("taken while aborted");
        at          = c * PLACES + tail[c] % PLACES;
        address[at] = request_address[c*64 +: 64];
        beats[at]   = request_beats[c*8 +: 8];
        tail[c]     = tail[c] + 1;
        requests    = requests + 1;
        passed[c]   = 0;
      end else if (request_valid[c] && (request_valid & request_ready) != 0) begin
        passed[c] = passed[c] + 1;
        if (passed[c] > 2 * (CLIENTS - 1)) wrong("waits for too many others");
      end
    end
    if (flush) forget;
  end

  // What comes next. The last phase has no end but that all is there.
  always @(negedge clk_i) if (rst_ni && !done_o) begin
    if (flush) request_valid = 0;
    flush = 1'b0;
    for (c = 0; c < CLIENTS; c = c + 1) begin
      if (taken[c]) request_valid = request_valid & ~(1 << c);
      if (!request_valid[c] && !abort && (phase < PHASES || left > 0) && draw(c == 1 ? 2 : 6) == 0) begin
        request_valid = request_valid | (1 << c);
        from        = {draw(65536), draw(65536)};
        from        = (from * 4096) | (draw(4096 / BYTES) * BYTES);
        from        = (from & ~(64'd3 << 40)) | ({62'd0, (draw(8) == 0) ? 2'd1 + draw(3) : 2'd0} << 40);
        l           = (4096 - from[11:0]) / BYTES;
        if (l > 256) l = 256;
        if (draw(12) != 0 && l > 6) l = 6;
        request_address[c*64 +: 64] = from;
        request_beats[c*8 +: 8]     = draw(l);
      end
    end
    left = left - 1;
    if (dead_left > 0) dead_left = dead_left - 1;
    else if (draw(2500) == 0 && phase < PHASES) dead_left = draw(500);
    dead = dead_left > 0;
    if (phase < PHASES) begin
      if (left == 0) begin
        flush         = 1'b1;
        request_valid = draw(1 << CLIENTS); // of no meaning now
        abort         = 1'b0;
        phase         = phase + 1;
        left          = (phase == PHASES) ? 300 : draw(4) == 0 ? draw(8) + 1 : draw(1000) + 1;
      end else if (left < 20 && draw(20) == 0) begin
        abort = 1'b1;
      end
      if (abort) request_valid = request_valid & draw(1 << CLIENTS);
    end else if (left < -20 && request_valid == 0) begin
      drained = 1'b1;
      for (c = 0; c < CLIENTS; c = c + 1) if (head[c] != tail[c]) drained = 1'b0;
      if (drained) begin
        if (!idle) wrong("not idle at the end");
        done_o = 1'b1;
        $display("%m: %0d bursts, %0d beats in %0d cycles", requests, total, cycles);
      end
    end
    if (left < -20000) begin
      $display("%m: stuck");
      $fatal(1);
    end
  end

  reg [CLIENTS-1:0] taken;
  always @(posedge clk_i) taken <= request_valid & request_ready;
endmodule

// Two clients of the write port. The data that a client gives tell of client and number, so that each beat is known
// where it arrives. Strobes of clients are never 0, so a beat with strobes 0 is one that the port made up.
module bench_write_port #(
  parameter MEM         = 64,
  parameter OUTSTANDING = 8,
  parameter LATENCY     = 20,
  parameter STALL       = 30,
  parameter EVERY_CYCLE = 1,
  parameter PHASES      = 40,
  parameter SEED        = 1
) (
  input  wire clk_i,
  input  wire rst_ni,
  output reg  done_o
);
  localparam CLIENTS = 2;
  localparam BYTES   = MEM / 8;
  localparam PLACES  = 1024;

  reg                       flush, abort, dead;
  reg  [CLIENTS-1:0]        burst_valid;
  wire [CLIENTS-1:0]        burst_ready;
  reg  [CLIENTS*64-1:0]     burst_address;
  reg  [CLIENTS*8-1:0]      burst_beats;
  reg  [CLIENTS-1:0]        data_valid;
  wire [CLIENTS-1:0]        data_ready;
  reg  [CLIENTS*MEM-1:0]    data;
  reg  [CLIENTS*BYTES-1:0]  strobe;
  wire [CLIENTS-1:0]        response_valid;
  wire [1:0]                response_error;
  wire                      beat, idle, memory_idle;

  wire             awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  wire [1:0]       awid, awburst, bid, bresp;
  wire [63:0]      awaddr;
  wire [7:0]       awlen;
  wire [2:0]       awsize;
  wire [MEM-1:0]   wdata;
  wire [BYTES-1:0] wstrb;

  tulle_write_port #(
    .MEM(MEM), .OUTSTANDING(OUTSTANDING), .CLIENTS(CLIENTS), .EVERY_CYCLE(EVERY_CYCLE)
  ) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni), .flush_i(flush), .abort_i(abort),
    .burst_valid_i(burst_valid), .burst_ready_o(burst_ready), .burst_address_i(burst_address),
    .burst_beats_i(burst_beats), .data_valid_i(data_valid), .data_ready_o(data_ready), .data_i(data),
    .strobe_i(strobe), .response_valid_o(response_valid), .response_error_o(response_error), .beat_o(beat),
    .idle_o(idle), .axi_awvalid_o(awvalid), .axi_awready_i(awready), .axi_awid_o(awid), .axi_awaddr_o(awaddr),
    .axi_awlen_o(awlen), .axi_awsize_o(awsize), .axi_awburst_o(awburst), .axi_wvalid_o(wvalid), .axi_wready_i(wready),
    .axi_wdata_o(wdata), .axi_wstrb_o(wstrb), .axi_wlast_o(wlast), .axi_bvalid_i(bvalid), .axi_bready_o(bready),
    .axi_bid_i(bid), .axi_bresp_i(bresp));

  bench_write_memory #(.MEM(MEM), .LATENCY(LATENCY), .STALL(STALL), .LIMIT(OUTSTANDING), .SEED(SEED)) u_memory (
    .clk_i(clk_i), .rst_ni(rst_ni), .dead_i(dead), .awvalid_i(awvalid), .awready_o(awready), .awid_i(awid),
    .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize), .awburst_i(awburst), .wvalid_i(wvalid), .wready_o(wready),
    .wdata_i(wdata), .wstrb_i(wstrb), .wlast_i(wlast), .bvalid_o(bvalid), .bready_i(bready), .bid_o(bid),
    .bresp_o(bresp), .idle_o(memory_idle));

  // Bursts that the port took, in order: all that AXI makes it send.
  reg [63:0] address [0:PLACES-1];
  reg [7:0]  beats   [0:PLACES-1];
  reg        owner   [0:PLACES-1];
  integer    since   [0:PLACES-1]; // the phase in which it was taken
  integer    bursts, addressed, beaten, sent; // sent: beats of burst `beaten` that were seen
  // Bursts whose responses clients await, and what is left of the data of each client's.
  integer    oldest;
  integer    supply [0:CLIENTS-1];
  // Beats that clients gave and memory did not see: the words' low halves.
  reg [31:0] given [0:PLACES-1];
  reg [BYTES-1:0] strobes [0:PLACES-1];
  integer    given_head, given_tail;
  reg [31:0] number [0:CLIENTS-1];

  integer    c, l, i, phase, left, dead_left, total, madeup, cycles, answered;
  reg [63:0] from;
  reg [CLIENTS-1:0] burst_taken, data_taken;

`include "bench_draw.vh"

  task wrong(input [8*50-1:0] what);
    begin
      $display("%m: phase %0d: %0s", phase, what);
      $fatal(1);
    end
  endtask

  initial begin
    chance      = SEED;
    burst_valid = {CLIENTS{1'b0}};
    data_valid  = {CLIENTS{1'b0}};
    flush       = 1'b0;
    abort       = 1'b0;
    dead        = 1'b0;
    dead_left   = 0;
    phase       = 0;
    left        = 200;
    total       = 0;
    madeup      = 0;
    cycles      = 0;
    answered    = 0;
    done_o      = 1'b0;
    bursts      = 0;
    addressed   = 0;
    beaten      = 0;
    sent        = 0;
    oldest      = 0;
    given_head  = 0;
    given_tail  = 0;
    for (c = 0; c < CLIENTS; c = c + 1) begin
      supply[c] = 0;
      number[c] = 0;
    end
  end

  always @(posedge clk_i) begin
    burst_taken <= burst_valid & burst_ready;
    data_taken  <= data_valid & data_ready;
    if (rst_ni && !done_o) begin
      cycles = cycles + 1;
      // Responses: of the oldest burst since the soft reset, to whom it belongs.
      while (oldest < bursts && since[oldest % PLACES] != phase) oldest = oldest + 1;
      if (response_valid != 0 && !flush) begin
        if (oldest == bursts || oldest >= beaten) wrong("a response to nothing");
        if (response_valid !== 1 << owner[oldest % PLACES]) wrong("a response to another");
        if (response_error !== (address[oldest % PLACES][41] ? 2'd3 : address[oldest % PLACES][40] ? 2'd2 : 2'd0))
          wrong("response error");
        oldest   = oldest + 1;
        answered = answered + 1;
      end
      if (idle && !flush && (oldest != bursts || addressed != bursts || beaten != bursts)) wrong("idle with bursts under way");
      // Addresses in the order in which bursts were taken.
      if (awvalid && awready) begin
        if (addressed == bursts) wrong("an address of nothing");
        if (awaddr !== address[addressed % PLACES] || awlen !== beats[addressed % PLACES]) wrong("address");
        addressed = addressed + 1;
      end
      // Beats: given by the owner of the burst, or made up because it is forgotten or aborted.
      if (wvalid && wready) begin
        if (beaten == bursts) wrong("a beat of nothing");
        i = beaten % PLACES;
        if (wstrb == 0) begin
          madeup = madeup + 1;
          if (since[i] == phase && !(abort && owner[i] == 0)) wrong("a beat is made up");
        end else begin
          if (given_head == given_tail) wrong("a beat that nobody gave");
          if (wdata[31:0] !== given[given_head % PLACES] || wstrb !== strobes[given_head % PLACES]) wrong("data");
          if (wdata[31] !== owner[i] || wdata[MEM-1 -: 32] !== ~given[given_head % PLACES]) wrong("data of another");
          given_head = given_head + 1;
          total      = total + 1;
        end
        if (wlast !== (sent == beats[i])) wrong("last");
        sent = sent + 1;
        if (wlast) begin
          beaten = beaten + 1;
          sent   = 0;
        end
      end
      for (c = 0; c < CLIENTS; c = c + 1) begin
        if (burst_valid[c] && burst_ready[c]) begin
          if (flush || (abort && c == 0) || (burst_valid & burst_ready) != 1 << c) wrong("a burst that must not be taken");
          i          = bursts % PLACES;
          address[i] = burst_address[c*64 +: 64];
          beats[i]   = burst_beats[c*8 +: 8];
          owner[i]   = c;
          since[i]   = phase;
          bursts     = bursts + 1;
          supply[c]  = supply[c] + burst_beats[c*8 +: 8] + 1;
        end
        if (data_valid[c] && data_ready[c]) begin
          if (flush || (abort && c == 0)) wrong("data that must not be taken");
          if (supply[c] == 0) wrong("data that no burst is for");
          given[given_tail % PLACES]   = data[c*MEM +: 32];
          strobes[given_tail % PLACES] = strobe[c*BYTES +: BYTES];
          given_tail = given_tail + 1;
          supply[c]  = supply[c] - 1;
        end
      end
    end
  end

  always @(negedge clk_i) if (rst_ni && !done_o) begin
    if (flush) begin
      for (c = 0; c < CLIENTS; c = c + 1) supply[c] = 0;
      burst_valid = 0;
      data_valid  = 0;
    end
    flush = 1'b0;
    left  = left - 1;
    for (c = 0; c < CLIENTS; c = c + 1) begin
      if (burst_taken[c]) burst_valid = burst_valid & ~(1 << c);
      if (data_taken[c])  data_valid = data_valid & ~(1 << c);
      if (!burst_valid[c] && (phase < PHASES || left > 0) && draw(c == 0 ? 3 : 8) == 0) begin
        burst_valid = burst_valid | (1 << c);
        from        = {draw(65536), draw(65536)};
        from        = (from * 4096) | (draw(4096 / BYTES) * BYTES);
        from        = (from & ~(64'd3 << 40)) | ({62'd0, (draw(8) == 0) ? 2'd1 + draw(3) : 2'd0} << 40);
        l           = (4096 - from[11:0]) / BYTES;
        if (l > 256) l = 256;
        if (draw(12) != 0 && l > 6) l = 6;
        burst_address[c*64 +: 64] = from;
        burst_beats[c*8 +: 8]     = draw(l);
      end
      // Now and then data are there before their burst is taken.
      if (!data_valid[c] && (supply[c] > 0 || (burst_valid[c] && draw(4) == 0)) && (STALL == 0 || draw(100) >= STALL)) begin
        data_valid = data_valid | (1 << c);
        data[c*MEM +: MEM] = {MEM/32{number[c]}};
        data[c*MEM +: 32]  = {c == 1, number[c][30:0]};
        data[c*MEM + MEM - 32 +: 32] = ~data[c*MEM +: 32];
        strobe[c*BYTES +: BYTES] = 0;
        strobe[c*BYTES +: 8]     = draw(255) + 1;
        number[c] = number[c] + 1;
      end
    end
    if (dead_left > 0) dead_left = dead_left - 1;
    else if (draw(2500) == 0 && phase < PHASES) dead_left = draw(500);
    dead = dead_left > 0;
    if (phase < PHASES) begin
      if (left == 0) begin
        flush       = 1'b1;
        burst_valid = draw(4); // of no meaning now
        data_valid  = draw(4);
        abort       = 1'b0;
        phase       = phase + 1;
        left        = (phase == PHASES) ? 300 : draw(4) == 0 ? draw(8) + 1 : draw(1000) + 1;
      end else if (left < 50 && draw(20) == 0) begin
        abort = 1'b1;
      end
      // What an aborted client still offers is nobody's business.
      if (abort) begin
        burst_valid = (burst_valid & ~1) | draw(2);
        data_valid  = (data_valid & ~1) | draw(2);
      end
    end else if (left < -20 && burst_valid == 0 && response_valid == 0 && idle && memory_idle) begin
      if (given_head != given_tail || bursts != beaten || bursts != addressed || bursts != oldest) wrong("not all arrived");
      done_o = 1'b1;
      $display("%m: %0d bursts, %0d beats and %0d made up, %0d responses in %0d cycles", bursts, total, madeup, answered,
               cycles);
    end
    if (left < -20000) begin
      $display("%m: stuck");
      $fatal(1);
    end
  end
endmodule

module ports_tb;
  parameter MEM         = 64;
  parameter OUTSTANDING = 8;
  parameter LATENCY     = 20;
  parameter STALL       = 30;
  parameter EVERY_CYCLE = 1;
  parameter PHASES      = 100;
  parameter SEED        = 1;

  reg  clk = 1'b0;
  reg  rst_n = 1'b0;
  wire read_done, write_done;
  always #5 clk = !clk;
  initial begin
    repeat (5) @(negedge clk);
    rst_n = 1'b1;
  end

  bench_read_port #(.MEM(MEM), .OUTSTANDING(OUTSTANDING), .LATENCY(LATENCY), .STALL(STALL), .PHASES(PHASES), .SEED(SEED))
    u_read (.clk_i(clk), .rst_ni(rst_n), .done_o(read_done));
  bench_write_port #(
    .MEM(MEM), .OUTSTANDING(OUTSTANDING), .LATENCY(LATENCY), .STALL(STALL), .EVERY_CYCLE(EVERY_CYCLE), .PHASES(PHASES),
    .SEED(SEED)
  ) u_write (.clk_i(clk), .rst_ni(rst_n), .done_o(write_done));

  always @(negedge clk) if (rst_n && read_done && write_done) begin
    $display("ports_tb: PASS");
    $finish(0);
  end
endmodule

`default_nettype wire
