// SPDX-License-Identifier: Apache-2.0
//
// Bench of the activation bank: tulle_bank, and the ways to it beside the memory ports, tulle_bank_reader and tulle_bank_writer. Readers
// ask at random of bank and memory, a store engine writes to both, memory stalls, and jobs end at random, some with a soft reset in
// the middle. What a reader gets is in the order of its requests, and is what this job has written, or 0.

`default_nettype none

module bank_tb;
  parameter MEM         = 64;
  parameter BYTES       = 2048;
  parameter READERS     = 4;
  parameter OUTSTANDING = 8;
  parameter AHEAD       = 4;
  parameter LATENCY     = 20;
  parameter STALL       = 30;
  parameter BUSY        = 50;  // how often something is asked for or written, per cent
  parameter PHASES      = 200; // jobs
  parameter SEED        = 1;

  localparam LINE    = MEM / 8;
  localparam WORDS   = BYTES / LINE;
  localparam WORD    = $clog2(WORDS);
  localparam BLOCK   = 1024 / LINE; // words of 1024 bytes
  localparam CLIENTS = READERS + 1; // of the read port: the first never asks of the bank
  localparam LOAD    = READERS;     // the last
  localparam PLACES  = 1024;

  reg clk = 1'b0, rst_n = 1'b0;
  always #5 clk = !clk;

  reg                    run_n, flush, start;
  reg  [CLIENTS-1:0]     request_valid;
  wire [CLIENTS-1:0]     request_ready;
  reg  [CLIENTS*64-1:0]  request_address;
  reg  [CLIENTS*8-1:0]   request_beats;
  wire [CLIENTS-1:0]     port_valid, port_ready, data_valid;
  wire [MEM-1:0]         data, bank_data;
  wire                   data_last, beat, read_idle, hold;
  wire [1:0]             data_error;
  wire                   read_valid, read_ready, local_last;
  wire [WORD-1:0]        read_word;
  wire [READERS-1:0]     local_valid;

  wire           arvalid, arready, rvalid, rready, rlast;
  wire [1:0]     arid, arburst, rid, rresp;
  wire [63:0]    araddr;
  wire [7:0]     arlen;
  wire [2:0]     arsize;
  wire [MEM-1:0] rdata;

  assign port_valid[0]    = request_valid[0];
  assign request_ready[0] = port_ready[0];

  tulle_bank_reader #(.MEM(MEM), .WORD(WORD), .READERS(READERS), .OUTSTANDING(OUTSTANDING), .AHEAD(AHEAD)) u_reader (
    .clk_i(clk), .rst_ni(run_n), .request_valid_i(request_valid[CLIENTS-1:1]), .request_ready_o(request_ready[CLIENTS-1:1]),
    .request_address_i(request_address[CLIENTS*64-1:64]), .request_beats_i(request_beats[CLIENTS*8-1:8]),
    .port_valid_o(port_valid[CLIENTS-1:1]), .port_ready_i(port_ready[CLIENTS-1:1]), .data_valid_i(data_valid[LOAD]),
    .data_last_i(data_last), .read_valid_o(read_valid), .read_ready_i(read_ready), .read_word_o(read_word),
    .local_valid_o(local_valid), .local_last_o(local_last), .hold_o(hold));

  tulle_read_port #(.MEM(MEM), .OUTSTANDING(OUTSTANDING), .CLIENTS(CLIENTS), .LOCAL(1)) u_read_port (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .abort_i(1'b0),
    .request_valid_i(port_valid), .request_ready_o(port_ready), .request_address_i(request_address),
    .request_beats_i(request_beats), .data_valid_o(data_valid), .data_o(data), .data_last_o(data_last),
    .data_error_o(data_error), .local_valid_i({local_valid, 1'b0}), .local_data_i(bank_data), .local_last_i(local_last),
    .hold_i(hold), .beat_o(beat), .idle_o(read_idle),
    .axi_arvalid_o(arvalid), .axi_arready_i(arready), .axi_arid_o(arid), .axi_araddr_o(araddr), .axi_arlen_o(arlen),
    .axi_arsize_o(arsize), .axi_arburst_o(arburst), .axi_rvalid_i(rvalid), .axi_rready_o(rready), .axi_rid_i(rid),
    .axi_rdata_i(rdata), .axi_rresp_i(rresp), .axi_rlast_i(rlast));

  bench_read_memory #(.MEM(MEM), .LATENCY(LATENCY), .STALL(STALL), .LIMIT(OUTSTANDING), .READY(0), .SEED(SEED)) u_read_memory (
    .clk_i(clk), .rst_ni(rst_n), .dead_i(1'b0), .arvalid_i(arvalid), .arready_o(arready), .arid_i(arid),
    .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst), .rvalid_o(rvalid), .rready_i(rready),
    .rid_o(rid), .rdata_o(rdata), .rresp_o(rresp), .rlast_o(rlast));

  reg             burst_valid, burst_to_bank, write_valid;
  wire            burst_ready, write_ready, port_burst_valid, port_burst_ready, port_data_valid, port_data_ready;
  reg  [63:0]     burst_address;
  reg  [7:0]      burst_beats;
  reg  [MEM-1:0]  write_data;
  reg  [LINE-1:0] write_strobe;
  wire            bank_valid, bank_ready, port_response, response_valid, write_beat, write_idle, memory_idle;
  wire [1:0]      port_response_error, response_error;
  wire [WORD-1:0] bank_word;

  wire            awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  wire [1:0]      awid, awburst, bid, bresp;
  wire [63:0]     awaddr;
  wire [7:0]      awlen;
  wire [2:0]      awsize;
  wire [MEM-1:0]  wdata;
  wire [LINE-1:0] wstrb;

  tulle_bank_writer #(.MEM(MEM), .WORD(WORD), .BURSTS(OUTSTANDING)) u_writer (
    .clk_i(clk), .rst_ni(run_n), .burst_valid_i(burst_valid), .burst_ready_o(burst_ready), .burst_local_i(burst_to_bank),
    .burst_word_i(burst_address[$clog2(LINE) +: WORD]), .burst_beats_i(burst_beats), .port_burst_valid_o(port_burst_valid),
    .port_burst_ready_i(port_burst_ready), .data_valid_i(write_valid), .data_ready_o(write_ready),
    .port_data_valid_o(port_data_valid), .port_data_ready_i(port_data_ready), .bank_valid_o(bank_valid),
    .bank_ready_i(bank_ready), .bank_word_o(bank_word), .port_response_valid_i(port_response),
    .port_response_error_i(port_response_error), .response_valid_o(response_valid), .response_error_o(response_error));

  tulle_write_port #(.MEM(MEM), .OUTSTANDING(OUTSTANDING), .CLIENTS(1)) u_write_port (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .abort_i(1'b0), .burst_valid_i(port_burst_valid),
    .burst_ready_o(port_burst_ready), .burst_address_i(burst_address), .burst_beats_i(burst_beats),
    .data_valid_i(port_data_valid), .data_ready_o(port_data_ready), .data_i(write_data), .strobe_i(write_strobe),
    .response_valid_o(port_response), .response_error_o(port_response_error), .beat_o(write_beat), .idle_o(write_idle),
    .axi_awvalid_o(awvalid), .axi_awready_i(awready), .axi_awid_o(awid), .axi_awaddr_o(awaddr), .axi_awlen_o(awlen),
    .axi_awsize_o(awsize), .axi_awburst_o(awburst), .axi_wvalid_o(wvalid), .axi_wready_i(wready), .axi_wdata_o(wdata),
    .axi_wstrb_o(wstrb), .axi_wlast_o(wlast), .axi_bvalid_i(bvalid), .axi_bready_o(bready), .axi_bid_i(bid),
    .axi_bresp_i(bresp));

  bench_write_memory #(.MEM(MEM), .LATENCY(LATENCY), .STALL(STALL), .LIMIT(OUTSTANDING), .SEED(SEED)) u_write_memory (
    .clk_i(clk), .rst_ni(rst_n), .dead_i(1'b0), .awvalid_i(awvalid), .awready_o(awready), .awid_i(awid),
    .awaddr_i(awaddr), .awlen_i(awlen), .awsize_i(awsize), .awburst_i(awburst), .wvalid_i(wvalid), .wready_o(wready),
    .wdata_i(wdata), .wstrb_i(wstrb), .wlast_i(wlast), .bvalid_o(bvalid), .bready_i(bready), .bid_o(bid),
    .bresp_o(bresp), .idle_o(memory_idle));

  tulle_bank #(.MEM(MEM), .BYTES(BYTES)) u_bank (
    .clk_i(clk), .rst_ni(run_n), .start_i(start), .write_valid_i(bank_valid), .write_ready_o(bank_ready),
    .write_word_i(bank_word), .write_data_i(write_data), .write_strobe_i(write_strobe), .read_valid_i(read_valid),
    .read_ready_o(read_ready), .read_word_i(read_word), .data_o(bank_data));

  // -- Chance, and what is wrong -------------------------------------------------------------------------------------

  integer phase = 0, left = 100, cycle = 0, rested = 0;

`include "bench_draw.vh"
`include "bench_memory_word.vh"

  task wrong(input [8*50-1:0] what);
    begin
      $display("bank_tb: FATAL: phase %0d, cycle %0d: %0s", phase, cycle, what);
      $fatal(1);
    end
  endtask

  // -- What the bank must hold, and what each read of it must give: three cycles later ----------------------------------

  reg [MEM-1:0]  content [0:WORDS-1];
  reg [MEM-1:0]  due_1, due_2, due_3;
  reg [WORD-1:0] due_word_1, due_word_2, due_word_3;
  integer        w, b;

  always @(posedge clk) begin
    {due_3, due_2, due_1}                <= {due_2, due_1, content[read_word]};
    {due_word_3, due_word_2, due_word_1} <= {due_word_2, due_word_1, read_word};
    if (!run_n) for (w = 0; w < WORDS; w = w + 1) content[w] = {MEM{1'b0}};
    else if (bank_valid && bank_ready)
      for (b = 0; b < LINE; b = b + 1) if (write_strobe[b]) content[bank_word][8*b +: 8] = write_data[8*b +: 8];
  end

  // -- Readers ---------------------------------------------------------------------------------------------------------

  reg [63:0] address [0:CLIENTS*PLACES-1]; // what each asked for and has not got
  reg [7:0]  beats   [0:CLIENTS*PLACES-1];
  integer    head [0:CLIENTS-1], tail [0:CLIENTS-1], got [0:CLIENTS-1];
  reg [CLIENTS-1:0] taken;
  reg [63:0] from, place;
  integer    c, at, l, of_bank = 0, of_memory = 0, overtaken = 0, stored = 0, answered = 0;

  // A step of the bench's state is done between two edges; what it sees are the signals before the edge.
  always @(posedge clk) begin
    cycle = cycle + 1;
    taken <= request_valid & request_ready;
    if (rst_n && run_n) begin
      for (c = 0; c < CLIENTS; c = c + 1) begin
        if (data_valid[c]) begin
          if (!beat || (data_valid & ~(1 << c)) != 0) wrong("a beat for two");
          if (head[c] == tail[c]) wrong("data that nobody asked for");
          at    = c * PLACES + head[c] % PLACES;
          place = address[at] + got[c] * LINE;
          if (place[63]) begin
            if (due_word_3 !== place[$clog2(LINE) +: WORD]) wrong("another word of the bank");
            if (data !== due_3) wrong("data of the bank");
            if (data_error !== 2'd0) wrong("the bank has no errors");
            of_bank = of_bank + 1;
          end else begin
            for (l = 0; l < MEM / 64; l = l + 1)
              if (data[l*64 +: 64] !== memory_word(place[63:3] + l)) wrong("data of memory");
            if (data_error !== (place[41] ? 2'd3 : place[40] ? 2'd2 : 2'd0)) wrong("error");
            of_memory = of_memory + 1;
          end
          if (data_last !== (got[c] == beats[at])) wrong("last");
          got[c] = got[c] + 1;
          if (data_last) begin
            head[c] = head[c] + 1;
            got[c]  = 0;
          end
        end
        if (request_valid[c] && request_ready[c]) begin
          at          = c * PLACES + tail[c] % PLACES;
          address[at] = request_address[c*64 +: 64];
          beats[at]   = request_beats[c*8 +: 8];
          tail[c]     = tail[c] + 1;
          // The load engine asks for memory while the bank's data are due.
          if (c == LOAD && !address[at][63] && address[c*PLACES + head[c] % PLACES][63]) overtaken = overtaken + 1;
        end
      end
    end
    if (!run_n) for (c = 0; c < CLIENTS; c = c + 1) begin
      head[c] = 0;
      tail[c] = 0;
      got[c]  = 0;
    end
  end

  // -- The store engine --------------------------------------------------------------------------------------------------

  reg [63:0] to      [0:PLACES-1]; // bursts that were taken, in order
  reg [7:0]  to_last [0:PLACES-1];
  integer    bursts = 0, filling = 0, filled = 0, oldest = 0; // filled: beats of burst `filling` that were given
  reg        burst_taken, write_taken;

  always @(posedge clk) begin
    burst_taken <= burst_valid && burst_ready;
    write_taken <= write_valid && write_ready;
    if (rst_n && run_n) begin
      if (response_valid) begin
        if (oldest == filling) wrong("a response before the beats");
        place = to[oldest % PLACES];
        if (response_error !== (place[63] ? 2'd0 : place[41] ? 2'd3 : place[40] ? 2'd2 : 2'd0)) wrong("response error");
        oldest   = oldest + 1;
        answered = answered + 1;
      end
      if (write_valid && write_ready) begin
        if (filling == bursts) wrong("a beat before its burst");
        place = to[filling % PLACES] + filled * LINE;
        if (bank_valid !== place[63] || port_data_valid === place[63]) wrong("a beat goes elsewhere");
        if (place[63] && bank_word !== place[$clog2(LINE) +: WORD]) wrong("a beat goes to another word");
        filled = filled + 1;
        stored = stored + place[63];
        if (filled > to_last[filling % PLACES]) begin
          filling = filling + 1;
          filled  = 0;
        end
      end
      if (burst_valid && burst_ready) begin
        to[bursts % PLACES]      = burst_address;
        to_last[bursts % PLACES] = burst_beats;
        bursts = bursts + 1;
      end
      if (port_burst_valid && burst_address[63]) wrong("a burst of the bank for memory");
    end
    if (!run_n) begin
      bursts  = 0;
      filling = 0;
      filled  = 0;
      oldest  = 0;
    end
  end

  // -- What comes next: the last job ends when everything is there --------------------------------------------------------

  task any_burst(input to_bank, output [63:0] where, output [7:0] last);
    begin
      where = {draw(65536), draw(65536)};
      where = (where * 1024) | (draw(BLOCK) * LINE);
      where = (where & ~(64'd3 << 40) & ~(64'd1 << 63)) | ({62'd0, (draw(8) == 0) ? 2'd1 + draw(3) : 2'd0} << 40);
      // In the bank mostly in a few words, so that reads meet writes.
      if (to_bank) where = (64'd1 << 63) | ((draw(3) ? draw(12) : draw(WORDS)) * LINE);
      l = BLOCK - where[9:0] / LINE;
      if (draw(12) != 0 && l > 6) l = 6;
      last = draw(l);
    end
  endtask

  reg         idle;
  reg [5:0]   kinds; // of the bursts of each reader that are due

  initial begin
    chance = SEED;
    {run_n, flush, start, request_valid, burst_valid, burst_to_bank, write_valid, taken, burst_taken, write_taken} = 0;
    repeat (5) @(negedge clk);
    rst_n = 1'b1;
    repeat (5) @(negedge clk);
    start = 1'b1;
    @(negedge clk);
    start = 1'b0;
    run_n = 1'b1;
    while (phase < PHASES || left > 0 || !idle) begin
      @(negedge clk);
      request_valid = request_valid & ~taken;
      if (burst_taken) burst_valid = 1'b0;
      if (write_taken) write_valid = 1'b0;
      idle = request_valid == 0 && !burst_valid && !write_valid && filling == bursts && oldest == bursts;
      for (c = 0; c < CLIENTS; c = c + 1) if (head[c] != tail[c]) idle = 1'b0;
      left = left - 1;
      if (phase < PHASES && left <= 0) begin
        // The end of a job: some wait until everything is there, others are reset in the middle.
        if (left == 0) rested = draw(2);
        if (rested == 0 || idle) begin
          request_valid = 0;
          burst_valid   = 1'b0;
          write_valid   = 1'b0;
          run_n         = 1'b0;
          flush         = !(idle && read_idle && write_idle);
          @(negedge clk);
          flush = 1'b0;
          run_n = 1'b1;
          repeat (draw(3)) @(negedge clk);
          start = 1'b1;
          @(negedge clk);
          start = 1'b0;
          phase = phase + 1;
          left  = (phase == PHASES) ? 500 : draw(6) == 0 ? 12 + draw(20) : 12 + draw(300);
        end
      end else if (left > 0) begin
        for (c = 0; c < CLIENTS; c = c + 1) begin
          if (!request_valid[c] && draw(100) < BUSY && tail[c] - head[c] < 64 && (c == LOAD || draw(8) == 0)) begin
            any_burst((c == LOAD) ? draw(2) : c != 0 && draw(3) != 0, from, request_beats[c*8 +: 8]);
            request_address[c*64 +: 64] = from;
            // All but the load engine change between bank and memory when nothing is due.
            at = c * PLACES + head[c] % PLACES;
            request_valid[c] = c == LOAD || c == 0 || head[c] == tail[c] || address[at][63] == from[63];
          end
        end
        if (!burst_valid && draw(100) < BUSY && bursts - oldest < OUTSTANDING && draw(3) == 0) begin
          burst_valid = 1'b1;
          burst_to_bank = draw(2);
          any_burst(burst_to_bank, burst_address, burst_beats);
        end
      end
      // The beats of what was taken, also after the last burst.
      if (!write_valid && filling != bursts && draw(100) < BUSY) begin
        write_valid = 1'b1;
        for (l = 0; l < MEM / 32; l = l + 1) write_data[l*32 +: 32] = {draw(65536), 16'd0} | draw(65536);
        for (l = 0; l < LINE; l = l + 1) write_strobe[l] = draw(3) != 0;
        if (draw(3) == 0) write_strobe = {LINE{1'b1}};
      end
      if (left < -30000) wrong("stuck");
    end
    // What resets have given up still comes to its end.
    for (l = 0; l < 1000 && !(read_idle && write_idle && memory_idle); l = l + 1) @(negedge clk);
    if (!read_idle || !write_idle || !memory_idle) wrong("not idle at the end");
    if (of_bank == 0 || of_memory == 0 || stored == 0 || (AHEAD > 1 && PHASES > 20 && overtaken == 0)) wrong("nothing was tested");
    $display("bank_tb: PASS: %0d beats of the bank, %0d of memory, %0d written to the bank, %0d bursts written, in %0d cycles",
             of_bank, of_memory, stored, answered, cycle);
    $finish(0);
  end
endmodule

`default_nettype wire
