// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_copy: rounds of descriptors of random places, lengths and directions between two memories that stall
// at random and refuse what they are told to, against a plain copy. Some rounds have descriptors or rings that cannot
// be, some memories that do not answer any more, some are reset in the middle. Every byte of both memories, what was
// written back, the registers and the interrupt are compared.

`default_nettype none

// 64 KiB from BASE on; what is elsewhere, or from bad_first_i to bad_last_i, is answered with bad_i. A write lands when
// it is answered.
module bench_copy_memory #(
  parameter        MEM     = 64,
  parameter        LATENCY = 20,
  parameter        STALL   = 30,
  parameter        SEED    = 1,
  parameter [63:0] BASE    = 0
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             dead_i, // no answers
  input  wire             deaf_i, // nothing is taken
  input  wire [16:0]      bad_first_i,
  input  wire [16:0]      bad_last_i,
  input  wire [1:0]       bad_i,
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
  input  wire             arvalid_i,
  output reg              arready_o,
  input  wire [1:0]       arid_i,
  input  wire [63:0]      araddr_i,
  input  wire [7:0]       arlen_i,
  input  wire [2:0]       arsize_i,
  input  wire [1:0]       arburst_i,
  output reg              rvalid_o,
  input  wire             rready_i,
  output reg  [1:0]       rid_o,
  output reg  [MEM-1:0]   rdata_o,
  output reg  [1:0]       rresp_o,
  output reg              rlast_o
);
  localparam BYTES  = MEM / 8;
  localparam PLACES = 256;
  localparam BEATS  = 16384;

`include "bench_draw.vh"

  reg [7:0]  bytes [0:65535];
  reg [63:0] raddr [0:PLACES-1];
  reg [7:0]  rlen  [0:PLACES-1];
  reg [1:0]  rid   [0:PLACES-1];
  integer    rdue  [0:PLACES-1];
  reg [63:0] waddr [0:PLACES-1];
  reg [7:0]  wlen  [0:PLACES-1];
  reg [1:0]  wid   [0:PLACES-1];
  reg [MEM-1:0]   data   [0:BEATS-1];
  reg [BYTES-1:0] strobe [0:BEATS-1];
  reg        last  [0:BEATS-1];
  integer    wdue  [0:PLACES-1];
  integer    rhead, rtail, rsent, whead, wtail, ended, bhead, btail, now, i, k, at;
  reg        bad, ready;

  task wrong(input [8*50-1:0] what);
    begin
      $display("%m: %0s", what);
      $fatal(1);
    end
  endtask

  initial begin
    chance = SEED;
    for (i = 0; i < 65536; i = i + 1) bytes[i] = draw(256);
  end

  always @(posedge clk_i) begin
    now       <= now + 1;
    arready_o <= draw(100) >= STALL && !deaf_i;
    awready_o <= draw(100) >= STALL && !deaf_i;
    wready_o  <= draw(100) >= STALL && !deaf_i;
    rvalid_o  <= 1'b0;
    bvalid_o  <= 1'b0;
    if (!rst_ni) begin
      now   <= 0;
      rhead = 0;
      rtail = 0;
      rsent = 0;
      whead = 0;
      wtail = 0;
      ended = 0;
      bhead = 0;
      btail = 0;
    end else begin
      if (!rready_i || !bready_i) wrong("an answer is not taken");
      if (arvalid_i && arready_o) begin
        if (arsize_i != $clog2(BYTES) || arburst_i != 2'b01 || rtail - rhead == PLACES) wrong("a read that cannot be");
        raddr[rtail % PLACES] = araddr_i;
        rlen[rtail % PLACES]  = arlen_i;
        rid[rtail % PLACES]   = arid_i;
        rdue[rtail % PLACES]  = now + ((STALL > 0) ? draw(LATENCY + 1) : LATENCY);
        rtail = rtail + 1;
      end
      if (awvalid_i && awready_o) begin
        if (awsize_i != $clog2(BYTES) || awburst_i != 2'b01 || wtail - whead == PLACES) wrong("a write that cannot be");
        waddr[wtail % PLACES] = awaddr_i;
        wlen[wtail % PLACES]  = awlen_i;
        wid[wtail % PLACES]   = awid_i;
        wtail = wtail + 1;
      end
      if (wvalid_i && wready_o) begin
        if (btail - bhead == BEATS) wrong("too many beats");
        data[btail % BEATS]   = wdata_i;
        strobe[btail % BEATS] = wstrb_i;
        last[btail % BEATS]   = wlast_i;
        btail = btail + 1;
        if (wlast_i) begin
          wdue[ended % PLACES] = now + ((STALL > 0) ? draw(LATENCY + 1) : LATENCY);
          ended = ended + 1;
        end
      end
      ready = rhead != rtail && !dead_i && draw(100) >= STALL;
      if (ready && rdue[rhead % PLACES] <= now) begin
        at  = raddr[rhead % PLACES] + rsent * BYTES - BASE;
        bad = raddr[rhead % PLACES] + rsent * BYTES - BASE > 64'd65536 - BYTES || (at <= bad_last_i && at + BYTES > bad_first_i);
        for (i = 0; i < BYTES; i = i + 1) rdata_o[8*i +: 8] <= bad ? 8'hBD : bytes[(at + i) % 65536];
        rvalid_o <= 1'b1;
        rid_o    <= rid[rhead % PLACES];
        rresp_o  <= bad ? bad_i : 2'd0;
        rlast_o  <= rsent == rlen[rhead % PLACES];
        rsent = rsent + 1;
        if (rsent > rlen[rhead % PLACES]) begin
          rsent = 0;
          rhead = rhead + 1;
        end
      end
      if (whead != wtail && whead < ended && !dead_i && draw(100) >= STALL) if (wdue[whead % PLACES] <= now) begin
        bad = 1'b0;
        for (k = 0; k <= wlen[whead % PLACES]; k = k + 1) begin
          at = waddr[whead % PLACES] + k * BYTES - BASE;
          if (last[(bhead + k) % BEATS] != (k == wlen[whead % PLACES])) wrong("a burst of another length");
          for (i = 0; i < BYTES; i = i + 1)
            if (strobe[(bhead + k) % BEATS][i] && (waddr[whead % PLACES] + k * BYTES + i - BASE > 64'd65535 ||
                (at + i >= bad_first_i && at + i <= bad_last_i))) bad = 1'b1;
        end
        for (k = 0; k <= wlen[whead % PLACES] && !bad; k = k + 1) begin
          at = waddr[whead % PLACES] + k * BYTES - BASE;
          for (i = 0; i < BYTES; i = i + 1)
            if (strobe[(bhead + k) % BEATS][i]) bytes[(at + i) % 65536] = data[(bhead + k) % BEATS][8*i +: 8];
        end
        bhead    = bhead + wlen[whead % PLACES] + 1;
        bvalid_o <= 1'b1;
        bid_o    <= wid[whead % PLACES];
        bresp_o  <= bad ? bad_i : 2'd0;
        whead    = whead + 1;
      end
    end
  end

  // Soft resets do not excuse a change: the rules hold from reset to reset.
  tulle_burst_check #(.MEM(MEM)) u_read_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(arvalid_i), .ready_i(arready_o), .address_i(araddr_i), .beats_i(arlen_i));
  tulle_burst_check #(.MEM(MEM)) u_write_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(awvalid_i), .ready_i(awready_o), .address_i(awaddr_i), .beats_i(awlen_i));
  tulle_stream_check #(.WIDTH(MEM + MEM/8 + 1)) u_beat_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(wvalid_i), .ready_i(wready_o), .data_i({wdata_i, wstrb_i, wlast_i}));
endmodule

module copy_tb;
  parameter MEM     = 64;
  parameter BURST   = 1024;
  parameter DEPTH   = 512;
  parameter LATENCY = 20;
  parameter STALL   = 30;
  parameter ROUNDS  = 60;
  parameter SEED    = 1;

  localparam [63:0] HOST   = 64'h01234567FFFF8000; // where the memories begin
  localparam [63:0] DEVICE = 64'h00000001FFFF8000;
  localparam [63:0] WINDOW = 64'h0000000010000000;
  localparam BYTES = MEM / 8;
  localparam LIMIT = 3000; // cycles of the watchdog

  // Offsets of docs/pcie.md.
  localparam [11:0] CONTROL = 12'h040, STATUS = 12'h044, RING = 12'h048, ENTRIES = 12'h050, HEAD = 12'h054,
                    TAIL = 12'h058, MASK = 12'h05C, PENDING = 12'h060, DONE = 12'h064, FAULTS = 12'h068,
                    FAULT_ADDRESS = 12'h070, WATCHDOG = 12'h078, TO_DEVICE = 12'h080, TO_HOST = 12'h088;
  localparam [7:0]  OK = 0, BAD_DESCRIPTOR = 1, DEVICE_ADDRESS = 2, HOST_FAULT = 3, RING_FAULT = 4, BAD_RING = 5,
                    NOT_MASTER = 6, DEVICE_FAILED = 7;

  reg         clk = 1'b0;
  reg         rst_n = 1'b0;
  always #5 clk = !clk;

  reg         function_reset = 1'b0, master = 1'b1, window_fault = 1'b0;
  wire [63:0] window;
  wire        interrupt;
  reg         awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
  wire        awready, wready, bvalid, arready, rvalid;
  reg  [11:0] awaddr, araddr;
  reg  [31:0] wdata;
  reg  [3:0]  wstrb;
  wire [31:0] rdata;
  wire [1:0]  bresp, rresp;

  wire             host_awvalid, host_awready, host_wvalid, host_wready, host_wlast, host_bvalid, host_bready;
  wire             host_arvalid, host_arready, host_rvalid, host_rready, host_rlast;
  wire [1:0]       host_awid, host_awburst, host_bid, host_bresp, host_arid, host_arburst, host_rid, host_rresp;
  wire [63:0]      host_awaddr, host_araddr;
  wire [7:0]       host_awlen, host_arlen;
  wire [2:0]       host_awsize, host_arsize;
  wire [MEM-1:0]   host_wdata, host_rdata;
  wire [BYTES-1:0] host_wstrb;
  reg              host_dead = 1'b0, host_deaf = 1'b0;
  reg  [16:0]      host_first = 17'h1FFFF, host_last = 17'd0;
  reg  [1:0]       host_bad = 2'd2;

  wire             mem_awvalid, mem_awready, mem_wvalid, mem_wready, mem_wlast, mem_bvalid, mem_bready;
  wire             mem_arvalid, mem_arready, mem_rvalid, mem_rready, mem_rlast;
  wire [1:0]       mem_awid, mem_awburst, mem_bid, mem_bresp, mem_arid, mem_arburst, mem_rid, mem_rresp;
  wire [63:0]      mem_awaddr, mem_araddr;
  wire [7:0]       mem_awlen, mem_arlen;
  wire [2:0]       mem_awsize, mem_arsize;
  wire [MEM-1:0]   mem_wdata, mem_rdata;
  wire [BYTES-1:0] mem_wstrb;
  reg              mem_dead = 1'b0, mem_deaf = 1'b0;
  reg  [16:0]      mem_first = 17'h1FFFF, mem_last = 17'd0;
  reg  [1:0]       mem_bad = 2'd2;

  tulle_copy #(.MEM(MEM), .BURST(BURST), .DEPTH(DEPTH)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .function_reset_i(function_reset), .master_i(master),
    .memory_bytes_i(DEVICE + 64'd65536), .window_bytes_i(WINDOW), .window_o(window), .window_fault_i(window_fault),
    .interrupt_o(interrupt), .awvalid_i(awvalid), .awready_o(awready), .awaddr_i(awaddr), .wvalid_i(wvalid),
    .wready_o(wready), .wdata_i(wdata), .wstrb_i(wstrb), .bvalid_o(bvalid), .bready_i(bready), .bresp_o(bresp),
    .arvalid_i(arvalid), .arready_o(arready), .araddr_i(araddr), .rvalid_o(rvalid), .rready_i(rready), .rdata_o(rdata),
    .rresp_o(rresp),
    .host_awvalid_o(host_awvalid), .host_awready_i(host_awready), .host_awid_o(host_awid), .host_awaddr_o(host_awaddr),
    .host_awlen_o(host_awlen), .host_awsize_o(host_awsize), .host_awburst_o(host_awburst), .host_wvalid_o(host_wvalid),
    .host_wready_i(host_wready), .host_wdata_o(host_wdata), .host_wstrb_o(host_wstrb), .host_wlast_o(host_wlast),
    .host_bvalid_i(host_bvalid), .host_bready_o(host_bready), .host_bid_i(host_bid), .host_bresp_i(host_bresp),
    .host_arvalid_o(host_arvalid), .host_arready_i(host_arready), .host_arid_o(host_arid), .host_araddr_o(host_araddr),
    .host_arlen_o(host_arlen), .host_arsize_o(host_arsize), .host_arburst_o(host_arburst), .host_rvalid_i(host_rvalid),
    .host_rready_o(host_rready), .host_rid_i(host_rid), .host_rdata_i(host_rdata), .host_rresp_i(host_rresp),
    .host_rlast_i(host_rlast),
    .mem_awvalid_o(mem_awvalid), .mem_awready_i(mem_awready), .mem_awid_o(mem_awid), .mem_awaddr_o(mem_awaddr),
    .mem_awlen_o(mem_awlen), .mem_awsize_o(mem_awsize), .mem_awburst_o(mem_awburst), .mem_wvalid_o(mem_wvalid),
    .mem_wready_i(mem_wready), .mem_wdata_o(mem_wdata), .mem_wstrb_o(mem_wstrb), .mem_wlast_o(mem_wlast),
    .mem_bvalid_i(mem_bvalid), .mem_bready_o(mem_bready), .mem_bid_i(mem_bid), .mem_bresp_i(mem_bresp),
    .mem_arvalid_o(mem_arvalid), .mem_arready_i(mem_arready), .mem_arid_o(mem_arid), .mem_araddr_o(mem_araddr),
    .mem_arlen_o(mem_arlen), .mem_arsize_o(mem_arsize), .mem_arburst_o(mem_arburst), .mem_rvalid_i(mem_rvalid),
    .mem_rready_o(mem_rready), .mem_rid_i(mem_rid), .mem_rdata_i(mem_rdata), .mem_rresp_i(mem_rresp),
    .mem_rlast_i(mem_rlast));

  bench_copy_memory #(.MEM(MEM), .LATENCY(LATENCY), .STALL(STALL), .SEED(SEED * 16 + 7), .BASE(HOST)) u_host (
    .clk_i(clk), .rst_ni(rst_n), .dead_i(host_dead), .deaf_i(host_deaf), .bad_first_i(host_first), .bad_last_i(host_last),
    .bad_i(host_bad), .awvalid_i(host_awvalid), .awready_o(host_awready), .awid_i(host_awid), .awaddr_i(host_awaddr),
    .awlen_i(host_awlen), .awsize_i(host_awsize), .awburst_i(host_awburst), .wvalid_i(host_wvalid),
    .wready_o(host_wready), .wdata_i(host_wdata), .wstrb_i(host_wstrb), .wlast_i(host_wlast), .bvalid_o(host_bvalid),
    .bready_i(host_bready), .bid_o(host_bid), .bresp_o(host_bresp), .arvalid_i(host_arvalid), .arready_o(host_arready),
    .arid_i(host_arid), .araddr_i(host_araddr), .arlen_i(host_arlen), .arsize_i(host_arsize), .arburst_i(host_arburst),
    .rvalid_o(host_rvalid), .rready_i(host_rready), .rid_o(host_rid), .rdata_o(host_rdata), .rresp_o(host_rresp),
    .rlast_o(host_rlast));

  bench_copy_memory #(.MEM(MEM), .LATENCY(LATENCY), .STALL(STALL), .SEED(SEED * 16 + 11), .BASE(DEVICE)) u_mem (
    .clk_i(clk), .rst_ni(rst_n), .dead_i(mem_dead), .deaf_i(mem_deaf), .bad_first_i(mem_first), .bad_last_i(mem_last),
    .bad_i(mem_bad), .awvalid_i(mem_awvalid), .awready_o(mem_awready), .awid_i(mem_awid), .awaddr_i(mem_awaddr),
    .awlen_i(mem_awlen), .awsize_i(mem_awsize), .awburst_i(mem_awburst), .wvalid_i(mem_wvalid),
    .wready_o(mem_wready), .wdata_i(mem_wdata), .wstrb_i(mem_wstrb), .wlast_i(mem_wlast), .bvalid_o(mem_bvalid),
    .bready_i(mem_bready), .bid_o(mem_bid), .bresp_o(mem_bresp), .arvalid_i(mem_arvalid), .arready_o(mem_arready),
    .arid_i(mem_arid), .araddr_i(mem_araddr), .arlen_i(mem_arlen), .arsize_i(mem_arsize), .arburst_i(mem_arburst),
    .rvalid_o(mem_rvalid), .rready_i(mem_rready), .rid_o(mem_rid), .rdata_o(mem_rdata), .rresp_o(mem_rresp),
    .rlast_o(mem_rlast));

  // -- Registers -------------------------------------------------------------------------------------------------

`include "bench_draw.vh"

  integer round, seen, late, side;

  task wrong(input [8*50-1:0] what, input [63:0] is, input [63:0] should);
    begin
      $display("copy_tb: FAIL: round %0d of kind %0d: %0s: %h, not %h", round, kind, what, is, should);
      $fatal(1);
    end
  endtask

  task equal(input [8*50-1:0] what, input [63:0] is, input [63:0] should);
    if (is !== should) wrong(what, is, should);
  endtask

  task write_strobed(input [11:0] at, input [31:0] value, input [3:0] strobes);
    begin
      @(negedge clk);
      awaddr = at;
      wdata  = value;
      wstrb  = strobes;
      if (draw(3) == 0) begin
        awvalid = 1'b1;
        while (!awready) @(negedge clk);
        @(negedge clk);
        awvalid = 1'b0;
        repeat (draw(3)) @(negedge clk);
      end else begin
        awvalid = 1'b1;
      end
      wvalid = 1'b1;
      while (!wready) @(negedge clk);
      @(negedge clk);
      awvalid = 1'b0;
      wvalid  = 1'b0;
      repeat (draw(3)) @(negedge clk);
      bready = 1'b1;
      while (!bvalid) @(negedge clk);
      @(negedge clk);
      bready = 1'b0;
    end
  endtask

  task write(input [11:0] at, input [31:0] value);
    write_strobed(at, value, 4'hF);
  endtask

  reg [31:0] got;

  task read(input [11:0] at);
    begin
      @(negedge clk);
      araddr  = at;
      arvalid = 1'b1;
      while (!arready) @(negedge clk);
      @(negedge clk);
      arvalid = 1'b0;
      repeat (draw(3)) @(negedge clk);
      rready = 1'b1;
      while (!rvalid) @(negedge clk);
      got = rdata;
      @(negedge clk);
      rready = 1'b0;
    end
  endtask

  task expect_word(input [8*50-1:0] what, input [11:0] at, input [31:0] value);
    begin
      read(at);
      equal(what, got, value);
    end
  endtask

  task expect_long(input [8*50-1:0] what, input [11:0] at, input [63:0] value);
    begin
      read(at);
      equal(what, got, value[31:0]);
      read(at + 12'd4);
      equal(what, got, value[63:32]);
    end
  endtask

  // -- What must come of it: the memories, and what is counted ----------------------------------------------------

  reg [7:0]  host   [0:65535];
  reg [7:0]  device [0:65535];
  integer    ring_at, entries, count, filled, i, k, first, cut, cycles, halts, tells, dones, faults, kind, done_count;
  integer    moved, reached, where, length, host_at, device_at, begun;
  reg        to_host, tell, dead, one;
  reg [7:0]  code;
  reg [31:0] flags, given_bytes;
  reg [63:0] given_host, given_device, fault_address, to_device_sum, to_host_sum, word;

  task put(input integer at, input integer bytes, input [63:0] value);
    for (k = 0; k < bytes; k = k + 1) begin
      u_host.bytes[at + k] = value[8*k +: 8];
      host[at + k]         = value[8*k +: 8];
    end
  endtask

  task compare;
    for (i = 0; i < 65536; i = i + 1) begin
      if (u_host.bytes[i] !== host[i]) wrong("a byte of the host's", {i, 24'd0, u_host.bytes[i]}, host[i]);
      if (u_mem.bytes[i] !== device[i]) wrong("a byte of the device's", {i, 24'd0, u_mem.bytes[i]}, device[i]);
    end
  endtask

  // Where the burst of the byte at `at`, of a range from `from` on, begins.
  function integer burst_of(input integer from, input integer at);
    burst_of = (at / BURST * BURST > from) ? at / BURST * BURST : from;
  endfunction

  // The beat that a read of the range is refused at first, as a place in memory; -1: none.
  function integer bad_beat(input integer from, input integer bytes, input integer bad_first, input integer bad_last);
    integer b;
    begin
      bad_beat = -1;
      for (b = (from + bytes - 1) / BYTES; b >= from / BYTES; b = b - 1)
        if (b * BYTES <= bad_last && b * BYTES + BYTES > bad_first) bad_beat = b * BYTES;
    end
  endfunction

  // Likewise the byte of a write.
  function integer bad_byte(input integer from, input integer bytes, input integer bad_first, input integer bad_last);
    begin
      bad_byte = (bad_first > from) ? bad_first : from;
      if (bad_byte > bad_last || bad_byte >= from + bytes) bad_byte = -1;
    end
  endfunction

  // Bytes that may have been written or not are taken as they are, when they are one of both.
  task accept(input integer from, input integer to);
    for (k = from; k < to; k = k + 1)
      if (to_host) begin
        if (u_host.bytes[host_at + k] === device[device_at + k]) host[host_at + k] = device[device_at + k];
      end else begin
        if (u_mem.bytes[device_at + k] === host[host_at + k]) device[device_at + k] = host[host_at + k];
      end
  endtask

  // What becomes of a legal descriptor: moved, code, fault_address; the memories as they must be. What is behind
  // `moved` may be written up to `reached`.
  task carry_out;
    begin
      code    = OK;
      reached = length;
      where   = to_host ? bad_beat(device_at, length, mem_first, mem_last) : bad_beat(host_at, length, host_first, host_last);
      if (where >= 0) begin
        k       = to_host ? device_at : host_at;
        reached = burst_of(k, (where > k) ? where : k) - k;
        code    = to_host ? (mem_bad == 2'd3 ? DEVICE_ADDRESS : DEVICE_FAILED) : HOST_FAULT;
        word    = HOST + ((where > host_at) ? where : host_at);
        // Only whole bursts of what was read are written.
        k       = to_host ? host_at : device_at;
        cut     = burst_of(k, k + reached) - k;
        if (reached != length) reached = cut;
      end
      moved = reached;
      where = to_host ? bad_byte(host_at, reached, host_first, host_last) : bad_byte(device_at, reached, mem_first, mem_last);
      if (where >= 0) begin
        k     = to_host ? host_at : device_at;
        moved = burst_of(k, where) - k;
        code  = to_host ? HOST_FAULT : (mem_bad == 2'd3 ? DEVICE_ADDRESS : DEVICE_FAILED);
        word  = HOST + host_at + moved;
      end
      if (code == HOST_FAULT) begin
        faults        = faults + 1;
        fault_address = word;
      end
      for (k = 0; k < moved; k = k + 1)
        if (to_host) host[host_at + k] = device[device_at + k];
        else         device[device_at + k] = host[host_at + k];
      accept(moved, reached);
    end
  endtask

  integer limit;

  task wait_until_done;
    begin
      limit = 0;
      read(STATUS);
      while (got[0]) begin
        repeat (draw(40)) @(negedge clk);
        read(STATUS);
        limit = limit + 1;
        if (limit > 12000) wrong("never done", got, 0);
      end
    end
  endtask

  task reset_engine;
    begin
      write(CONTROL, 32'd2);
      expect_word("status after reset", STATUS, 32'd0);
      expect_word("done after reset", DONE, 32'd0);
      expect_word("head after reset", HEAD, 32'd0);
      equal("interrupt after reset", interrupt, 1'b0);
      faults        = 0;
      fault_address = 64'd0;
      to_device_sum = 64'd0;
      to_host_sum   = 64'd0;
      done_count    = 0;
      halts         = 0;
      tells         = 0;
      write(WATCHDOG, LIMIT);
    end
  endtask

  // A ring of its own for each round.
  task set_ring;
    begin
      entries = 2 << draw(5);
      ring_at = draw(32) * 64;
      filled  = 0;
      first   = 0;
      write(RING, HOST + ring_at);
      write(RING + 12'd4, (HOST + ring_at) >> 32);
      write(ENTRIES, entries);
      write(MASK, draw(4));
      read(MASK);
      cut = got;
      if (draw(2) == 0) write(CONTROL, 32'd1);
      one = 1'b1;
    end
  endtask

  // The descriptors of a round, which are kept as the ring has them: the host's memory of the model.
  task fill(input integer how_many);
    for (count = 0; count < how_many; count = count + 1) begin
      length    = (draw(6) == 0) ? 1 + draw(9000) : (draw(3) == 0) ? 1 + draw(40) : 1 + draw(1500);
      host_at   = 16'h1000 + draw(16'hEFFF - length);
      device_at = draw(65536 - length);
      if (draw(4) == 0) device_at = device_at / BYTES * BYTES + host_at % BYTES;
      if (device_at + length > 65536) device_at = 65536 - length;
      if (draw(8) == 0) device_at = 65536 - length;
      flags        = draw(4);
      if (kind == 7) flags = {flags[31:1], side == 1};
      given_bytes  = length;
      given_host   = HOST + host_at;
      given_device = DEVICE + device_at;
      if (kind == 2 && count == how_many - 1) case (draw(8))
        0: flags = flags | (32'd4 << draw(30));
        1: given_bytes = 0;
        2: given_bytes = 32'h01000001 + (draw(2) << 24);
        3: given_device = DEVICE + 65537 - length + draw(1000);
        4: given_device = {64{1'b1}} - draw(2000);
        5: given_host = 64'd0 - length + draw(2);
        6: given_bytes = 32'h80000000 | draw(1000);
        default: given_device = given_device + (64'd1 << (34 + draw(30)));
      endcase
      k = ring_at + 32 * ((filled + count) % entries);
      i = k;
      put(i, 4, flags);
      put(i + 4, 4, given_bytes);
      put(i + 8, 8, given_host);
      put(i + 16, 8, given_device);
      put(i + 24, 8, 64'd0);
    end
  endtask

  // What the engine makes of descriptor `first` of the ring.
  task account;
    begin
      i            = ring_at + 32 * (first % entries);
      flags        = {host[i+3], host[i+2], host[i+1], host[i]};
      given_bytes  = {host[i+7], host[i+6], host[i+5], host[i+4]};
      given_host   = {host[i+15], host[i+14], host[i+13], host[i+12], host[i+11], host[i+10], host[i+9], host[i+8]};
      given_device = {host[i+23], host[i+22], host[i+21], host[i+20], host[i+19], host[i+18], host[i+17], host[i+16]};
      to_host      = flags[0];
      length       = given_bytes;
      host_at      = given_host - HOST;
      device_at    = given_device - DEVICE;
      moved        = 0;
      if (flags[31:2] != 0 || given_bytes == 0 || given_bytes > 32'h01000000) code = BAD_DESCRIPTOR;
      else if ({1'b0, given_device} + given_bytes > DEVICE + 65'd65536)       code = DEVICE_ADDRESS;
      else if ({1'b0, given_host} + given_bytes > {1'b0, {64{1'b1}}})         code = HOST_FAULT;
      else carry_out;
      i = ring_at + 32 * (first % entries) + 24;
      host[i]   = code;
      host[i+1] = 8'd0;
      host[i+2] = 8'd0;
      host[i+3] = 8'h80;
      for (k = 0; k < 4; k = k + 1) host[i+4+k] = moved >> 8 * k;
      if (to_host) to_host_sum = to_host_sum + moved;
      else         to_device_sum = to_device_sum + moved;
      if (code != OK)     halts = 1;
      else if (flags[1])  tells = 1;
      done_count = done_count + 1;
      first      = first + 1;
    end
  endtask

  task check_registers(input [7:0] last_code);
    begin
      expect_word("status", STATUS, {16'd0, last_code, 6'd0, halts == 1, 1'b0});
      expect_word("pending", PENDING, {30'd0, halts == 1, tells == 1});
      expect_word("done", DONE, done_count);
      expect_word("head", HEAD, first % entries);
      expect_word("faults", FAULTS, faults);
      expect_long("fault address", FAULT_ADDRESS, fault_address);
      expect_long("bytes to the device", TO_DEVICE, to_device_sum);
      expect_long("bytes to the host", TO_HOST, to_host_sum);
      equal("interrupt", interrupt, ((halts * 2 + tells) & cut_mask) != 0);
    end
  endtask

  integer cut_mask, more, refusal;

  // -- Rounds --------------------------------------------------------------------------------------------------------

  // kind 0, 1: good; 2: the last descriptor cannot be; 3: something is refused; 4: reset in the middle; 5: the ring
  // cannot be; 6: a side falls silent; 7: reset while reads are not answered, and they are when the next copy runs
  task play;
    begin
      kind = (round < 3) ? 0 : draw(9);
      if (kind == 8) kind = 3;
      reset_engine;
      set_ring;
      cut_mask = cut;
      if (kind == 3) begin
        // From any byte on, or from the last beat of a burst on.
        where = draw(16'hF000);
        if (draw(2) == 0) where = where / BURST * BURST + BURST - 1 - draw(BYTES);
        if (draw(2) == 0) begin
          host_first = 16'h1000 + where;
          host_last  = host_first + draw(3000);
        end else begin
          mem_first = where + draw(2) * 16'h1000;
          mem_last  = mem_first + draw(3000);
        end
        host_bad = 2 + draw(2);
        mem_bad  = 2 + draw(2);
      end
      if (kind == 5) for (refusal = 0; refusal < 7; refusal = refusal + 1) begin
        reset_engine;
        set_ring;
        refuse_ring;
      end
      else if (kind == 6) silence;
      else if (kind == 7) answer_late;
      else begin
        // All at once, or piece by piece.
        more = 1 + draw(entries - 1);
        fill(more);
        filled = filled + more;
        write(TAIL, filled % entries);
        write(CONTROL, 32'd1);
        if (kind == 4) begin
          repeat (draw(3000)) @(negedge clk);
          abandon;
        end else begin
          finish_ring;
          if (code == OK && draw(2) == 0) begin
            write(PENDING, 32'd1);
            tells = 0;
            more = 1 + draw(entries - 1);
            fill(more);
            filled = filled + more;
            write(TAIL, filled % entries);
            finish_ring;
          end
          if (draw(2) == 0) begin
            write(PENDING, 32'd3);
            equal("interrupt after it was cleared", interrupt, 1'b0);
          end
        end
      end
      host_first = 17'h1FFFF;
      host_last  = 17'd0;
      mem_first  = 17'h1FFFF;
      mem_last   = 17'd0;
    end
  endtask

  task finish_ring;
    begin
      wait_until_done;
      code = OK;
      while (first < filled && code == OK) account;
      compare;
      check_registers(code);
    end
  endtask

  task refuse_ring;
    begin
      // While it runs the ring stays what it is.
      write(CONTROL, 32'd1);
      write(ENTRIES, 32'd3);
      write(RING, 32'd64);
      expect_word("entries while it runs", ENTRIES, entries);
      expect_word("ring while it runs", RING, HOST + ring_at);
      write(CONTROL, 32'd0);
      write_strobed(ENTRIES, 32'd5, 4'hE);
      expect_word("entries after half a write", ENTRIES, entries);
      code = BAD_RING;
      case (refusal)
        0: write(ENTRIES, 32'd1);
        1: write(ENTRIES, entries * 2 - 1);
        2: write(ENTRIES, 32'h20000);
        3: write(TAIL, entries + draw(100000));
        4: write(RING, HOST + ring_at + (4 << draw(4)));
        5: begin
          write(RING + 12'd4, 32'hFFFFFFFF);
          write(RING, 32'hFFE00000);
        end
        default: begin
          master = 1'b0;
          code   = NOT_MASTER;
        end
      endcase
      if (refusal != 3) write(TAIL, 32'd1);
      if (refusal == 0) write(TAIL, 32'd3);
      write(CONTROL, 32'd1);
      wait_until_done;
      halts = 1;
      compare;
      expect_word("status", STATUS, {16'd0, code, 8'd2});
      expect_word("pending", PENDING, 32'd2);
      expect_word("done", DONE, 32'd0);
      expect_word("faults", FAULTS, 32'd0);
      master = 1'b1;
    end
  endtask

  // The descriptor that was under way may have moved any of its bytes; those before it are done, those behind it untouched.
  task settle;
    begin
      i = ring_at + 32 * (first % entries);
      while (first < filled && {u_host.bytes[i+27], u_host.bytes[i+24]} == {8'h80, OK}) begin
        account;
        i = ring_at + 32 * (first % entries);
      end
      if (first < filled) begin
        to_host   = host[i][0];
        length    = {host[i+5], host[i+4]};
        host_at   = {host[i+9], host[i+8]} - HOST;
        device_at = {host[i+17], host[i+16]} - DEVICE;
        host_at   = host_at & 16'hFFFF;
        device_at = device_at & 16'hFFFF;
        accept(0, length);
        for (k = 24; k < 32; k = k + 1) host[i+k] = u_host.bytes[i+k];
      end
    end
  endtask

  task abandon;
    begin
      if (draw(2) == 0) begin
        @(negedge clk);
        function_reset = 1'b1;
        @(negedge clk);
        function_reset = 1'b0;
        equal("window after a function-level reset", window, 64'd0);
      end else begin
        write(CONTROL, 32'd2);
      end
      // What memory has taken may land for a while.
      repeat (4 * LATENCY + 400) @(negedge clk);
      settle;
      compare;
    end
  endtask

  // Reads of one side are not answered until the next copy reads there, which must not take their answers for its own.
  integer owed;

  task answer_late;
    begin
      side = draw(2);
      more = 1 + draw(entries - 1);
      fill(more);
      filled = filled + more;
      write(TAIL, filled % entries);
      write(CONTROL, 32'd1);
      limit = 100 + draw(2000);
      owed  = 0;
      while (limit > 0 && owed < 1 + limit % 4) begin
        @(negedge clk);
        owed  = (side == 1) ? u_mem.rtail - u_mem.rhead : u_host.rtail - u_host.rhead;
        limit = limit - 1;
      end
      // While a side is read nothing is written there.
      host_dead = owed > 0 && side == 0;
      mem_dead  = owed > 0 && side == 1;
      abandon;
      reset_engine;
      set_ring;
      more = 1 + draw(entries - 1);
      fill(more);
      filled   = filled + more;
      cut_mask = cut;
      write(TAIL, filled % entries);
      write(CONTROL, 32'd1);
      repeat (draw(300)) @(negedge clk);
      late = late + (owed > 0);
      host_dead = 1'b0;
      mem_dead  = 1'b0;
      finish_ring;
    end
  endtask

  task silence;
    begin
      more = 1 + draw(entries - 1);
      fill(more);
      filled = filled + more;
      write(TAIL, filled % entries);
      write(CONTROL, 32'd1);
      repeat (draw(600)) @(negedge clk);
      i = draw(4);
      host_dead = i == 0;
      host_deaf = i == 1;
      mem_dead  = i == 2;
      mem_deaf  = i == 3;
      wait_until_done;
      // It may have been done before the silence.
      read(STATUS);
      if (got[1]) begin
        equal("the code of silence", (i < 2) ? got[15:8] == HOST_FAULT || got[15:8] == RING_FAULT : got[15:8] == DEVICE_FAILED,
              1'b1);
        seen = seen + 1;
        read(FAULTS);
        equal("faults of silence", got != 0, i < 2);
      end
      host_dead = 1'b0;
      host_deaf = 1'b0;
      mem_dead  = 1'b0;
      mem_deaf  = 1'b0;
      abandon;
    end
  endtask

  initial begin
    chance = SEED;
    seen   = 0;
    late   = 0;
    for (i = 0; i < 65536; i = i + 1) begin
      host[i]   = 8'd0;
      device[i] = 8'd0;
    end
    repeat (5) @(negedge clk);
    rst_n = 1'b1;
    for (i = 0; i < 65536; i = i + 1) begin
      host[i]   = u_host.bytes[i];
      device[i] = u_mem.bytes[i];
    end
    round = 0;
    expect_word("magic", 12'h000, 32'h43495054);
    expect_word("version", 12'h004, 32'h00000101);
    expect_word("features", 12'h008, 32'h00000201);
    expect_long("memory", 12'h010, DEVICE + 64'd65536);
    write(12'h018, 32'h12345FFF);
    write(12'h01C, 32'h00000009);
    expect_long("window", 12'h018, 64'h912345000);
    equal("window", window, 64'h912345000);
    expect_long("window bytes", 12'h020, WINDOW);
    repeat (3) @(negedge clk);
    window_fault = 1'b1;
    repeat (3) @(negedge clk);
    window_fault = 1'b0;
    expect_word("window faults", 12'h028, 32'd3);
    write(12'h028, 32'd9);
    expect_word("window faults", 12'h028, 32'd0);
    expect_word("nothing", 12'h0FC, 32'd0);
    expect_word("watchdog", WATCHDOG, 32'h01000000);
    for (round = 1; round <= ROUNDS; round = round + 1) play;
    // Alike at both ends: a beat a cycle.
    reset_engine;
    if (STALL == 0) begin
      kind    = 0;
      entries = 2;
      ring_at = 0;
      first   = 0;
      filled  = 1;
      put(0, 8, {32'd32000, 32'd0});
      put(8, 8, HOST + 16'h1003);
      put(16, 8, DEVICE + 16'h2003);
      put(24, 8, 64'd0);
      write(RING, HOST);
      write(RING + 12'd4, HOST >> 32);
      write(ENTRIES, 32'd2);
      write(MASK, 32'd3);
      write(TAIL, 32'd1);
      write(CONTROL, 32'd1);
      cycles = 0;
      while (u_dut.busy) begin
        @(negedge clk);
        cycles = cycles + 1;
      end
      account;
      compare;
      if (cycles > 32000 / BYTES + BURST / BYTES + 6 * LATENCY + 60) wrong("too slow", cycles, 32000 / BYTES);
      $display("copy_tb: 32000 bytes in %0d cycles, %0d beats", cycles, 32000 / BYTES + 1);
    end
    $display("copy_tb: PASS, %0d rounds, %0d of silence, %0d with late answers", ROUNDS, seen, late);
    $finish(0);
  end
endmodule

`default_nettype wire
