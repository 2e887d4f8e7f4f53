// SPDX-License-Identifier: Apache-2.0
//
// tulle_tb: a self-checking test bench of tulle_packet_top, the device without its memory side. It tests registers,
// configurations, operands, results, every error that a cluster reports, soft reset and interrupt.
//
// The test first makes a list of steps and then executes them. Packets are sent with random gaps, and results are
// stalled at random. A model of the output queues and input buffers computes the expected results, and every beat of
// a result is compared with them. The last line that the bench prints says PASS or FAIL; a failure ends with an error.
// tb/run.sh compiles and runs the bench. It has no ports.
// ${generated}

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_registers.vh"
`include "tulle_params.vh"

// Tasks that take no time are called, not copied, which is five times faster to compile. Nothing waits for what they
// write, so Verilator need not look into them.
/* verilator lint_off IMPURE */

module tulle_tb;

  // -- Configuration payloads: NAME is the first record of a payload, NAME_RECORDS the number of its records

//: for i < payloads
  localparam ${payload_name[i]}	= ${payload_first[i]};	// ${payload_doc[i]}
  localparam ${payload_name[i]}_RECORDS	= ${payload_records[i]};
//: end

  reg [`TULLE_CONFIG_WIDTH-1:0] record [0:${records-1}];

  initial begin
//: for i < payloads
//: if i > 0

//: end
    // ${payload_name[i]}: ${payload_doc[i]}
//: for payload_first[i] <= r < payload_end[i]
    record[${r}]	= 128'h${record_high[r]}_${record_low[r]};	// ${record_kind[r]}
//: end
//: end
  end

  // -- Sizes

  localparam ROWS	= `TULLE_N;	// rows
  localparam CLUSTERS	= `TULLE_M;	// clusters of a row
  localparam PES	= `TULLE_K;	// PEs of a cluster
  localparam BUS_WIDTH	= `TULLE_ROW_BUS_WIDTH;	// bits of a beat of a packet
  localparam COLLECTOR_WIDTH	= `TULLE_COLLECTOR_WIDTH;	// bits of a beat of results
  localparam DATA_WIDTH	= `TULLE_DATA_WIDTH;	// bits of an activation
  localparam SUM_WIDTH	= `TULLE_ACC_WIDTH;	// bits of a partial sum
  localparam ELEMENT_WIDTH	= `TULLE_ELEMENT_WIDTH;	// bits of a partial sum in a packet
  localparam LINE_WIDTH	= `TULLE_LINE_WIDTH;	// bits of a line of the input buffer
  localparam LINE_LENGTH	= `TULLE_LINE_VALUES;	// activations in a line
  localparam LINES	= `TULLE_INPUT_LINES;	// lines of the input buffer
  localparam ENTRIES	= `TULLE_OUTPUT_QUEUE_DEPTH;	// entries of the output queue
  localparam LINES_READ	= ENTRIES < 16 ? ENTRIES : 16;	// lines that held() reads back, besides the last line
  localparam STORE_BEATS	= (PES * ELEMENT_WIDTH + COLLECTOR_WIDTH - 1) / COLLECTOR_WIDTH;	// beats of a store
  localparam BUFFERS	= `TULLE_INSTRUCTION_BUFFERS;	// instruction buffers
  localparam SCAN	= `TULLE_SCAN;	// entries of a word of weights
  localparam INDEX_WIDTH	= `TULLE_INDEX_WIDTH;	// bits of an entry's gap and its flag
  localparam ENTRY_WIDTH	= `TULLE_ENTRY_BITS;	// bits of an entry
  localparam BEAT_ENTRIES	= `TULLE_ENTRIES_PER_BEAT;	// entries of a weight beat for each PE
  localparam WEIGHT_BEATS	= `TULLE_WEIGHT_BEAT_BUS_BEATS;	// beats of the bus that a weight beat takes
  localparam WORDS_PER_BEAT	= `TULLE_WORDS_PER_BEAT;	// words of a weight queue that a weight beat makes
  localparam BEATS_PER_WORD	= `TULLE_BEATS_PER_WORD;	// weight beats that make a word
  localparam PACE_WORDS	= `TULLE_PACE_WORDS;	// words that may wait in a weight queue
  localparam WEIGHT_DEPTH	= `TULLE_WEIGHT_QUEUE_DEPTH;	// entries in a weight queue
  localparam OTHER	= ${other_buffer};	// the buffer beside 0 that tests use; 0 when the register file has room for one
  localparam LONG_BUFFERS_MAX	= ${room};	// buffers of the greatest length that the register file holds
  localparam COUNTERS	= `TULLE_COUNTERS;	// 1: the variant has counters
  localparam TIMEOUT	= ${timeout};	// cycles that the whole test may take

  localparam CLUSTER_ID_WIDTH	= `TULLE_CLUSTER_ID_WIDTH;	// bits of a cluster's number
  localparam COMMAND_WIDTH	= `TULLE_COMMAND_WIDTH;	// bits of a packet's command
  localparam COUNT_WIDTH	= 16;	// bits of a packet's repeat count
  localparam TAG_WIDTH	= `TULLE_PACKET_TAG_WIDTH;	// bits of a packet's tag
  localparam BACKLOG_WIDTH	= `TULLE_BACKLOG_WIDTH;	// bits of a cluster's backlog
  localparam BUS_WORDS	= BUS_WIDTH / 32;	// words of 32 bits in a beat of a packet
  localparam RECORD_WORDS	= `TULLE_CONFIG_WIDTH / 32;	// words of a configuration record
  localparam TEXT_WIDTH	= 8 * 40;	// bits of the text of a check

  localparam [CLUSTERS-1:0] ALL	= {CLUSTERS{1'b1}};	// every cluster of a row
  localparam [15:0] EVEN	= 16'h5555;	// the clusters with an even number
  localparam [15:0] ODD	= 16'hAAAB;	// the clusters with an odd number, and cluster 0
  localparam QUEUE_DEPTH	= 1024;	// beats that wait to be sent, per row
  localparam EXPECTED_MAX	= 64 * STORE_BEATS;	// beats of results that are due, per cluster
  localparam STEPS_MAX	= 8192 + 1024 * ROWS * (CLUSTERS + 2);	// steps that the list holds
  localparam PATIENCE	= 20000;	// cycles after which a wait fails

  localparam [7:0] CONFIG	= 8'h00;	// commands, with buffer 0
  localparam [7:0] EXEC	= 8'h80;
  localparam [7:0] SHIFT_OUT	= 8'hC0;	// EXEC with its shift_out bit

  // -- Device

  reg		clk = 1'b0;
  reg		rst_n = 1'b0;

  always #5 clk = !clk;

  reg		awvalid = 1'b0;
  wire		awready;
  reg	[11:0]	awaddr = 12'd0;
  reg		wvalid = 1'b0;
  wire		wready;
  reg	[31:0]	wdata = 32'd0;
  reg	[3:0]	wstrb = 4'd0;
  wire		bvalid;
  reg		bready = 1'b0;
  wire	[1:0]	bresp;
  reg		arvalid = 1'b0;
  wire		arready;
  reg	[11:0]	araddr = 12'd0;
  wire		rvalid;
  reg		rready = 1'b0;
  wire	[31:0]	rdata;
  wire	[1:0]	rresp;
  wire		irq;
  wire		job_start;
  reg		job_sent = 1'b0;
  wire		soft_reset;

  // Bit r or word r of each vector belongs to row r.
  reg	[ROWS-1:0]	packet_valid;
  wire	[ROWS-1:0]	packet_ready;
  reg	[ROWS*BUS_WIDTH-1:0]	packet_data;
  reg	[ROWS*COMMAND_WIDTH-1:0]	packet_command;
  reg	[ROWS*CLUSTERS-1:0]	packet_clusters;
  wire	[ROWS*BACKLOG_WIDTH*CLUSTERS-1:0]	backlog;
  reg	[ROWS*COUNT_WIDTH-1:0]	packet_count;
  reg	[ROWS-1:0]	packet_scatter;	// with a command that is not exec: it is exec, and the packet has no data
  reg	[ROWS-1:0]	packet_last;
  wire	[ROWS-1:0]	result_valid;
  reg	[ROWS-1:0]	result_ready;
  wire	[ROWS*COLLECTOR_WIDTH-1:0]	result_data;
  wire	[ROWS*CLUSTER_ID_WIDTH-1:0]	result_cluster;
  wire	[ROWS-1:0]	result_last;

  tulle_packet_top dut (
    .ap_clk	(clk),
    .ap_rst_n	(rst_n),
    .s_axi_control_awvalid	(awvalid),
    .s_axi_control_awready	(awready),
    .s_axi_control_awaddr	(awaddr),
    .s_axi_control_wvalid	(wvalid),
    .s_axi_control_wready	(wready),
    .s_axi_control_wdata	(wdata),
    .s_axi_control_wstrb	(wstrb),
    .s_axi_control_bvalid	(bvalid),
    .s_axi_control_bready	(bready),
    .s_axi_control_bresp	(bresp),
    .s_axi_control_arvalid	(arvalid),
    .s_axi_control_arready	(arready),
    .s_axi_control_araddr	(araddr),
    .s_axi_control_rvalid	(rvalid),
    .s_axi_control_rready	(rready),
    .s_axi_control_rdata	(rdata),
    .s_axi_control_rresp	(rresp),
    .interrupt	(irq),
//: for i < n
    .row${i}_packet_valid_i	(packet_valid[${i}]),
    .row${i}_packet_ready_o	(packet_ready[${i}]),
    .row${i}_packet_data_i	(packet_data[${i}*BUS_WIDTH +: BUS_WIDTH]),
    .row${i}_packet_command_i	(packet_command[${i}*COMMAND_WIDTH +: COMMAND_WIDTH]),
    .row${i}_packet_clusters_i	(packet_clusters[${i}*CLUSTERS +: CLUSTERS]),
    .row${i}_packet_count_i	(packet_count[${i}*COUNT_WIDTH +: COUNT_WIDTH]),
    .row${i}_packet_scatter_i	(packet_scatter[${i}]),
    .row${i}_packet_last_i	(packet_last[${i}]),
    .row${i}_packet_tag_i	({TAG_WIDTH{1'b0}}),
    .row${i}_result_valid_o	(result_valid[${i}]),
    .row${i}_result_ready_i	(result_ready[${i}]),
    .row${i}_result_data_o	(result_data[${i}*COLLECTOR_WIDTH +: COLLECTOR_WIDTH]),
    .row${i}_result_cluster_o	(result_cluster[${i}*CLUSTER_ID_WIDTH +: CLUSTER_ID_WIDTH]),
    .row${i}_result_last_o	(result_last[${i}]),
    .row${i}_result_room_i	({CLUSTERS{1'b1}}),
    .row${i}_backlog_o	(backlog[${i}*BACKLOG_WIDTH*CLUSTERS +: BACKLOG_WIDTH*CLUSTERS]),
//: end
    .job_start_o	(job_start),
    .job_sent_i	(job_sent),
    .soft_reset_o	(soft_reset)
  );

  // -- Checks

  integer checks	= 0;
  integer failures	= 0;
  integer enough;	// the test ends at this failure: 10, or +failures=N
  integer rounds;	// rounds of the data, each with other gaps and stalls: 4, or +rounds=N
  integer cycle	= 0;

  initial begin
    if (!$value$plusargs("failures=%d", enough)) enough = 10;
    if (!$value$plusargs("rounds=%d", rounds)) rounds = 4;
  end

  always @(posedge clk) cycle <= cycle + 1;

  task finish;
    begin
      if (failures == 0) begin
        $display("tulle_tb: PASS, %0d checks", checks);
        $finish(0);
      end else begin
        $display("tulle_tb: FAIL, %0d of %0d checks", failures, checks);
        $fatal(0);
      end
    end
  endtask

  // Counts a check. A check that fails is reported; the test ends when there were enough failures.
  task check(input pass, input [TEXT_WIDTH-1:0] what, input integer row, input [63:0] have, input [63:0] want);
    /* verilator no_inline_task */
    begin
      checks = checks + 1;
      if (pass !== 1'b1) begin
        failures = failures + 1;
        $display("tulle_tb: cycle %0d: %0s (%0d): is %h, must be %h", cycle, what, row, have, want);
        if (failures == enough) finish;
      end
    end
  endtask

  // A pseudo-random word that is the same in every simulator.
  function [31:0] hash(input [31:0] seed, input [31:0] index);
    /* verilator no_inline_task */
    reg [31:0] x;
    begin
      x = (seed * 32'h9E3779B1) ^ (index * 32'h85EBCA77) ^ 32'h27D4EB2F;
      x = (x ^ (x >> 15)) * 32'h2C1B3C6D;
      x = (x ^ (x >> 12)) * 32'h297A2D39;
      hash = x ^ (x >> 15);
    end
  endfunction

  initial begin
    repeat (TIMEOUT) @(posedge clk);
    $display("tulle_tb: FAIL, timeout after %0d checks", checks);
    $fatal(0);
  end

  // -- Control port

  reg awtaken	= 1'b0;
  reg wtaken	= 1'b0;
  reg btaken	= 1'b0;
  reg artaken	= 1'b0;
  reg rtaken	= 1'b0;
  reg [31:0] rvalue;

  always @(posedge clk) begin
    awtaken <= awvalid && awready;
    wtaken  <= wvalid && wready;
    btaken  <= bvalid && bready;
    artaken <= arvalid && arready;
    rtaken  <= rvalid && rready;
    if (rvalid && rready) rvalue <= rdata;
    if (bvalid && bready && bresp != 2'b00) $display("tulle_tb: a write was answered %b", bresp);
    if (rvalid && rready && rresp != 2'b00) $display("tulle_tb: a read was answered %b", rresp);
  end

  // The data comes `late` cycles after the address, or before it if `late` is negative.
  task do_write(input [11:0] offset, input [31:0] value, input [3:0] bytes, input integer late);
    integer t;
    reg     answered;
    begin
      answered = 1'b0;
      awaddr   = offset;
      wdata    = value;
      wstrb    = bytes;
      bready   = 1'b1;
      for (t = 0; !answered && t < 100; t = t + 1) begin
        if (t == (late < 0 ? -late : 0)) awvalid = 1'b1;
        if (t == (late > 0 ? late : 0)) wvalid = 1'b1;
        @(negedge clk);
        if (awtaken) awvalid = 1'b0;
        if (wtaken) wvalid = 1'b0;
        if (btaken) answered = 1'b1;
      end
      bready = 1'b0;
      check(answered, "a write is answered", 0, {52'd0, offset}, 64'd0);
    end
  endtask

  task do_read(input [11:0] offset);
    integer t;
    reg     answered;
    begin
      answered = 1'b0;
      araddr   = offset;
      arvalid  = 1'b1;
      rready   = 1'b1;
      for (t = 0; !answered && t < 100; t = t + 1) begin
        @(negedge clk);
        if (artaken) arvalid = 1'b0;
        if (rtaken) answered = 1'b1;
      end
      rready = 1'b0;
      check(answered, "a read is answered", 0, {52'd0, offset}, 64'd0);
    end
  endtask

  // -- Packets: each row has a queue of beats, which are sent with gaps

  localparam BEAT_WIDTH = BUS_WIDTH + 2 + COUNT_WIDTH + CLUSTERS + COMMAND_WIDTH;

  reg [BEAT_WIDTH-1:0]	queue [0:ROWS*QUEUE_DEPTH-1];
  integer	queued [0:ROWS-1];
  integer	sent [0:ROWS-1];
  integer	taken [0:ROWS-1];
  reg	gaps = 1'b0;	// send with gaps between beats
  reg	stalls = 1'b0;	// stall the results

  genvar row;
  generate
    for (row = 0; row < ROWS; row = row + 1) begin : gen_packets
      wire [31:0] chance = hash(cycle, 2 * row);

      initial begin
        queued[row] = 0;
        sent[row]   = 0;
        taken[row]  = 0;
        packet_valid[row] = 1'b0;
        packet_last[row]  = 1'b0;
        packet_scatter[row] = 1'b0;
        packet_data[row*BUS_WIDTH +: BUS_WIDTH] = {BUS_WIDTH{1'b0}};
        packet_command[row*COMMAND_WIDTH +: COMMAND_WIDTH] = {COMMAND_WIDTH{1'b0}};
        packet_clusters[row*CLUSTERS +: CLUSTERS] = {CLUSTERS{1'b0}};
        packet_count[row*COUNT_WIDTH +: COUNT_WIDTH] = {COUNT_WIDTH{1'b0}};
      end

      always @(posedge clk) begin
        if (packet_valid[row] && packet_ready[row]) taken[row] <= taken[row] + 1;
        if (!packet_valid[row] || packet_ready[row]) begin
          packet_valid[row] <= sent[row] != queued[row] && !(gaps && chance[0]);
          if (sent[row] != queued[row] && !(gaps && chance[0])) begin
            sent[row] <= sent[row] + 1;
            {packet_command[row*COMMAND_WIDTH +: COMMAND_WIDTH], packet_clusters[row*CLUSTERS +: CLUSTERS],
             packet_count[row*COUNT_WIDTH +: COUNT_WIDTH], packet_scatter[row], packet_last[row],
             packet_data[row*BUS_WIDTH +: BUS_WIDTH]} <=
              queue[row*QUEUE_DEPTH + sent[row] % QUEUE_DEPTH];
          end
        end
      end
    end
  endgenerate

  // The packet under construction, in words of 32 bits
  reg [BUS_WIDTH-1:0]	payload [0:QUEUE_DEPTH-1];
  integer	words = 0;

  task put(input [31:0] word);
    begin
      if (words % BUS_WORDS == 0) payload[words / BUS_WORDS] = {BUS_WIDTH{1'b0}};
      payload[words / BUS_WORDS][words % BUS_WORDS * 32 +: 32] = word;
      words = words + 1;
    end
  endtask

  task do_align;
    begin
      while (words % BUS_WORDS != 0) put(32'd0);
    end
  endtask

  // Sends the packet, followed by `extra` beats of old data. A packet without data takes one beat. The task waits
  // until the queue has room.
  task do_send(input integer to, input [7:0] command, input [CLUSTERS-1:0] clusters, input [15:0] count,
               input integer extra);
    integer beats;
    integer b;
    integer t;
    reg empty;
    begin
      empty = words == 0 && extra == 0 && command[`TULLE_EXEC_KIND];
      beats = (words + BUS_WORDS - 1) / BUS_WORDS;
      if (beats == 0) beats = 1;
      beats = beats + extra;
      check(beats <= QUEUE_DEPTH, "a packet fits the bench", to, {32'd0, beats}, QUEUE_DEPTH);
      for (b = 0; b < beats; b = b + 1) begin
        for (t = 0; queued[to] - sent[to] == QUEUE_DEPTH && t < PATIENCE; t = t + 1) @(negedge clk);
        queue[to*QUEUE_DEPTH + queued[to] % QUEUE_DEPTH] = {command[`TULLE_EXEC_KIND] && !empty, command[6:0], clusters, count,
                                                            empty, b == beats - 1, payload[b]};
        queued[to] = queued[to] + 1;
      end
      words = 0;
    end
  endtask

  // -- Results: each beat is compared with the next expected beat of its cluster

  reg [COLLECTOR_WIDTH:0]	expected [0:ROWS*CLUSTERS*EXPECTED_MAX-1];	// last, data
  integer	due [0:ROWS*CLUSTERS-1];
  integer	came [0:ROWS*CLUSTERS-1];

  generate
    for (row = 0; row < ROWS; row = row + 1) begin : gen_results
      wire [31:0]	chance = hash(cycle, 2 * row + 1);
      wire [31:0]	from = {{32-CLUSTER_ID_WIDTH{1'b0}},
                          result_cluster[row*CLUSTER_ID_WIDTH +: CLUSTER_ID_WIDTH]};
      integer	part = 0;	// beats of the current store that have come
      reg [31:0]	whose = 32'd0;
      reg [COLLECTOR_WIDTH:0]	next;
      integer	c;

      initial begin
        result_ready[row] = 1'b0;
        for (c = 0; c < CLUSTERS; c = c + 1) begin
          due[row*CLUSTERS + c]  = 0;
          came[row*CLUSTERS + c] = 0;
        end
      end

      always @(posedge clk) begin
        result_ready[row] <= !(stalls && chance[1:0] != 2'd0);
        if (soft_reset) part <= 0;
        else if (result_valid[row] && result_ready[row]) begin
          part   <= part == STORE_BEATS - 1 ? 0 : part + 1;
          whose  <= from;
        end
      end

      // This runs at the falling edge, between the steps of the task that adds expected beats.
      always @(negedge clk) begin
        if (!soft_reset && result_valid[row] && result_ready[row]) begin
          check(part == 0 || from == whose, "stores of clusters do not mix", row, {32'd0, from},
                {32'd0, whose});
          check(came[row*CLUSTERS + from] < due[row*CLUSTERS + from], "a result is due", row, {32'd0, from}, 64'd0);
          next = expected[(row*CLUSTERS + from) * EXPECTED_MAX + came[row*CLUSTERS + from] % EXPECTED_MAX];
          check(result_data[row*COLLECTOR_WIDTH +: COLLECTOR_WIDTH] === next[COLLECTOR_WIDTH-1:0],
                "result (lower 64 bits shown)", row, result_data[row*COLLECTOR_WIDTH +: 64], next[63:0]);
          check(result_last[row] === next[COLLECTOR_WIDTH], "last beat of a result", row,
                {63'd0, result_last[row]}, {63'd0, next[COLLECTOR_WIDTH]});
          came[row*CLUSTERS + from] = came[row*CLUSTERS + from] + 1;
        end
      end
    end
  endgenerate

  task expect_beat(input integer from, input [COLLECTOR_WIDTH-1:0] data, input last);
    begin
      check(due[from] - came[from] < EXPECTED_MAX, "what is due fits the bench", from, 64'd0, 64'd0);
      expected[from*EXPECTED_MAX + due[from] % EXPECTED_MAX] = {last, data};
      due[from] = due[from] + 1;
    end
  endtask

  integer	seed = 1;	// seed of the next data

  // -- Model: output queues and input buffers

  reg [SUM_WIDTH-1:0]	entry [0:ROWS*CLUSTERS*PES*ENTRIES-1];
  reg [LINE_WIDTH-1:0]	line [0:ROWS*CLUSTERS*LINES-1];	// the same in all PEs of a cluster

  // Puts a partial sum for each PE into the packet, from lane 0 of a beat, and into entry `at` of the clusters.
  task do_put_partials(input integer to, input [CLUSTERS-1:0] clusters, input integer at);
    integer p;
    integer c;
    reg [63:0] value;
    begin
      do_align;
      for (p = 0; p < PES; p = p + 1) begin
        value = {hash(seed, 2 * p + 1), hash(seed, 2 * p)};
        put(value[31:0]);
        if (ELEMENT_WIDTH == 64) put(value[63:32]);
        for (c = 0; c < CLUSTERS; c = c + 1)
          if (clusters[c]) entry[((to*CLUSTERS + c) * PES + p) * ENTRIES + at] = value[SUM_WIDTH-1:0];
      end
      seed = seed + 1;
    end
  endtask

  // Expects the beats that cluster c of a row sends for entry `at`.
  task do_expect(input integer from, input integer c, input integer at, input last);
    integer p;
    integer lane;
    reg [COLLECTOR_WIDTH-1:0] beat;
    reg [SUM_WIDTH-1:0] value;
    reg [63:0] extended;
    begin
      beat = {COLLECTOR_WIDTH{1'b0}};
      for (p = 0; p < PES; p = p + 1) begin
        lane     = p % (COLLECTOR_WIDTH / ELEMENT_WIDTH);
        value    = entry[((from*CLUSTERS + c) * PES + p) * ENTRIES + at];
        extended = {64{value[SUM_WIDTH-1]}};
        extended[SUM_WIDTH-1:0] = value;
        beat[lane*ELEMENT_WIDTH +: ELEMENT_WIDTH] = extended[ELEMENT_WIDTH-1:0];
        if (lane == COLLECTOR_WIDTH / ELEMENT_WIDTH - 1 || p == PES - 1) begin
          expect_beat(from*CLUSTERS + c, beat, last && p == PES - 1);
          beat = {COLLECTOR_WIDTH{1'b0}};
        end
      end
    end
  endtask

  // Puts a line of activations into the packet and into line `at`. About a quarter of them are 0.
  task do_put_line(input integer to, input [CLUSTERS-1:0] clusters, input integer at);
    integer i;
    integer c;
    reg [31:0] value;
    reg [LINE_WIDTH-1:0] data;
    begin
      for (i = 0; i < LINE_LENGTH; i = i + 1) begin
        value = hash(seed, i);
        data[i*DATA_WIDTH +: DATA_WIDTH] = value[31:30] == 2'd0 ? {DATA_WIDTH{1'b0}} : value[DATA_WIDTH-1:0];
      end
      for (i = 0; i < LINE_WIDTH / 32; i = i + 1) put(data[i*32 +: 32]);
      for (c = 0; c < CLUSTERS; c = c + 1)
        if (clusters[c]) line[(to*CLUSTERS + c) * LINES + at] = data;
      seed = seed + 1;
    end
  endtask

  // -- Weights: each PE has a stream of entries, which are packed into weight beats

  localparam STREAM_LENGTH = 128; // the most entries of a stream
  localparam ESCAPE_GAP = (1 << (INDEX_WIDTH - 1)) - 1; // the gap of an escape

  reg [ENTRY_WIDTH-1:0]	stream [0:PES*STREAM_LENGTH-1];
  integer	streamed [0:PES-1];
  // The segment that do_put_segment made last: its weights, and the first of the activations that it has weights for. It
  // stays in the weight queue, so of a longer line it takes every second one, or fourth, and so on.
  function integer unit_step(input integer start);
    begin
      unit_step = start;
      while ((LINE_LENGTH / unit_step + BEAT_ENTRIES - 1) / BEAT_ENTRIES * WORDS_PER_BEAT > PACE_WORDS * BEATS_PER_WORD)
        unit_step = 2 * unit_step;
    end
  endfunction

  localparam UNIT_STEP = unit_step(1);
  localparam UNIT_LENGTH = LINE_LENGTH / UNIT_STEP;
  reg [DATA_WIDTH-1:0]	unit [0:PES*UNIT_LENGTH-1];
  integer	unit_first;

  task add_entry(input integer p, input last, input integer gap, input [DATA_WIDTH-1:0] value);
    begin
      stream[p*STREAM_LENGTH + streamed[p]] = {last, gap[INDEX_WIDTH-2:0], value};
      streamed[p] = streamed[p] + 1;
    end
  endtask

  // Packs the streams. Skips fill the shorter streams and the last beat.
  task do_put_streams;
    integer p;
    integer n;
    integer longest;
    reg [WEIGHT_BEATS*BUS_WIDTH-1:0] beat;
    begin
      longest = 0;
      for (p = 0; p < PES; p = p + 1) if (streamed[p] > longest) longest = streamed[p];
      for (p = 0; p < PES; p = p + 1)
        while (streamed[p] < longest + BEAT_ENTRIES) add_entry(p, 1'b0, ESCAPE_GAP, {DATA_WIDTH{1'b0}});
      do_align;
      for (n = 0; n < longest; n = n + BEAT_ENTRIES) begin
        beat = {WEIGHT_BEATS*BUS_WIDTH{1'b0}};
        for (p = 0; p < PES * BEAT_ENTRIES; p = p + 1)
          beat[p*ENTRY_WIDTH +: ENTRY_WIDTH] = stream[p / BEAT_ENTRIES * STREAM_LENGTH + n + p % BEAT_ENTRIES];
        for (p = 0; p < WEIGHT_BEATS * BUS_WORDS; p = p + 1) put(beat[p*32 +: 32]);
      end
      for (p = 0; p < PES; p = p + 1) streamed[p] = 0;
    end
  endtask

  function [SUM_WIDTH-1:0] product(input [DATA_WIDTH-1:0] a, input [DATA_WIDTH-1:0] b);
    product = {{SUM_WIDTH-DATA_WIDTH{a[DATA_WIDTH-1]}}, a} * {{SUM_WIDTH-DATA_WIDTH{b[DATA_WIDTH-1]}}, b};
  endfunction

  // Makes one segment for each PE that has a weight for each activation of a line, or for some of each.
  task do_put_segment;
    integer p;
    integer i;
    reg [31:0] value;
    begin
      value      = hash(seed, PES * UNIT_LENGTH);
      unit_first = value % UNIT_STEP;
      for (p = 0; p < PES; p = p + 1)
        for (i = 0; i < UNIT_LENGTH; i = i + 1) begin
          value = hash(seed, p * UNIT_LENGTH + i);
          unit[p*UNIT_LENGTH + i] = value[DATA_WIDTH-1:0];
          add_entry(p, i == UNIT_LENGTH - 1, (i == 0) ? unit_first : UNIT_STEP - 1, value[DATA_WIDTH-1:0]);
        end
      seed = seed + 1;
      do_put_streams;
    end
  endtask

  // Multiplies that segment with `count` lines from `first` on; the sums go to entries 0, 1, ...
  task do_scan_lines(input integer to, input integer first, input integer count);
    integer c;
    integer p;
    integer n;
    integer i;
    reg [SUM_WIDTH-1:0] sum;
    begin
      for (c = 0; c < CLUSTERS; c = c + 1)
        for (p = 0; p < PES; p = p + 1)
          for (n = 0; n < count; n = n + 1) begin
            sum = {SUM_WIDTH{1'b0}};
            for (i = 0; i < UNIT_LENGTH; i = i + 1)
              sum = sum + product(unit[p*UNIT_LENGTH + i],
                                  line[(to*CLUSTERS + c) * LINES + first + n][(unit_first + i*UNIT_STEP)*DATA_WIDTH +: DATA_WIDTH]);
            entry[((to*CLUSTERS + c) * PES + p) * ENTRIES + n] = sum;
          end
    end
  endtask

  // Makes segments of up to three weights. Their sums of products with the first activations go to the entries from
  // `at` on. With `resume` they are added to the entries.
  task do_put_products(input integer to, input [CLUSTERS-1:0] clusters, input integer segments, input integer at,
                       input resume);
    integer p;
    integer s;
    integer n;
    integer i;
    integer c;
    integer gap;
    integer position;
    reg [31:0] about;
    reg [31:0] drawn;
    reg [DATA_WIDTH-1:0] value;
    begin
      for (p = 0; p < PES; p = p + 1)
        for (s = 0; s < segments; s = s + 1) begin
          about    = hash(seed, 1000 + p * segments + s);
          n        = {30'd0, about[1:0]};
          position = 0;
          for (c = 0; c < CLUSTERS; c = c + 1)
            if (clusters[c] && !resume) entry[((to*CLUSTERS + c) * PES + p) * ENTRIES + at + s] = {SUM_WIDTH{1'b0}};
          if (n == 0) add_entry(p, 1'b0, ESCAPE_GAP, {`TULLE_ESCAPE_END, {DATA_WIDTH-3{1'b0}}}); // an END escape
          for (i = 0; i < n; i = i + 1) begin
            gap      = {30'd0, about[2 + 2*i +: 2]};
            drawn    = hash(seed, 5000 + (p * segments + s) * 4 + i);
            value    = drawn[DATA_WIDTH-1:0];
            position = position + gap;
            add_entry(p, i == n - 1, gap, value);
            for (c = 0; c < CLUSTERS; c = c + 1)
              if (clusters[c])
                entry[((to*CLUSTERS + c) * PES + p) * ENTRIES + at + s] =
                  entry[((to*CLUSTERS + c) * PES + p) * ENTRIES + at + s] +
                  product(value, line[(to*CLUSTERS + c) * LINES + position / LINE_LENGTH]
                                     [position % LINE_LENGTH * DATA_WIDTH +: DATA_WIDTH]);
            position = position + 1;
          end
        end
      seed = seed + 1;
      do_put_streams;
    end
  endtask

  integer clear_p;
  initial for (clear_p = 0; clear_p < PES; clear_p = clear_p + 1) streamed[clear_p] = 0;
  // -- Execution of a step

  integer marked = 0;

  task do_put_records(input integer first, input integer records);
    integer r;
    begin
      for (r = 0; r < RECORD_WORDS * records; r = r + 1)
        put(record[first + r / RECORD_WORDS][r % RECORD_WORDS * 32 +: 32]);
    end
  endtask

  // Waits until every beat was sent and every result came. With `idle` it also waits until the array is idle or has
  // an error.
  task do_drain(input idle);
    integer t;
    integer r;
    integer c;
    reg done;
    begin
      done = 1'b0;
      for (t = 0; !done && t < PATIENCE; t = t + 1) begin
        @(negedge clk);
        #1;
        done = !idle || dut.idle || dut.error;
        for (r = 0; r < ROWS; r = r + 1) begin
          if (taken[r] != queued[r]) done = 1'b0;
          for (c = 0; c < CLUSTERS; c = c + 1) if (came[r*CLUSTERS + c] < due[r*CLUSTERS + c]) done = 1'b0;
        end
      end
      check(done, "everything is taken and answered", 0, 64'd0, 64'd1);
      if (!done) begin
        for (r = 0; r < ROWS; r = r + 1) begin
          $display("tulle_tb: row %0d took %0d of %0d beats", r, taken[r], queued[r]);
          for (c = 0; c < CLUSTERS; c = c + 1)
            $display("tulle_tb: cluster %0d sent %0d of %0d results", c, came[r*CLUSTERS + c], due[r*CLUSTERS + c]);
        end
        $display("tulle_tb: error %b, code %0d, row %0d, cluster %0d", dut.error, dut.error_code,
                 dut.error_row, dut.error_cluster);
        finish;
      end
    end
  endtask

  // Reads the status until it reports an error, then reads the place of the error.
  task do_error(input [15:0] code, input integer at_row, input integer at_cluster);
    integer t;
    reg [31:0] status;
    begin
      status = 32'd0;
      for (t = 0; status[`TULLE_REG_STATUS_CODE] < 16'd2 && t < 200; t = t + 1) begin
        do_read({2'b00, `TULLE_REG_STATUS});
        status = rvalue;
      end
      do_read({2'b00, `TULLE_REG_ERROR_PLACE});
      check(status === {8'd0, `TULLE_QUEUE_CLUSTER, code}, "status", at_row, {32'd0, status},
            {48'd0, code});
      check(rvalue === (at_cluster << 8 | at_row), "place of the error", at_row, {32'd0, rvalue}, 64'd0);
    end
  endtask

  task do_step(input [7:0] operation, input integer a, input integer b, input integer c, input integer d,
               input integer e, input [TEXT_WIDTH-1:0] what);
    integer t;
    begin
      case (operation)
        WRITE: do_write(a[11:0], b, c[3:0], d);
        READ, READ_BEATS: begin
          do_read(a[11:0]);
          if (operation == READ)
            check(rvalue >= b && rvalue <= c, what, a, {32'd0, rvalue}, {32'd0, b});
          else
            check(rvalue == (COUNTERS == 1 ? taken[0] - marked : 0), "beats counted", 0, {32'd0, rvalue},
                  {32'd0, taken[0] - marked});
        end
        ERROR: do_error(a[15:0], b, c);
        PUT_RECORDS: do_put_records(a, b);
        PUT_PARTIALS: do_put_partials(a, b[CLUSTERS-1:0], c);
        PUT_LINE: do_put_line(a, b[CLUSTERS-1:0], c);
        ALIGN: do_align;
        SEND: do_send(a, b[7:0], c[CLUSTERS-1:0], d[15:0], e);
        EXPECT: for (t = 0; t < CLUSTERS; t = t + 1) if (b[t]) do_expect(a, t, c, d[0]);
        DRAIN, SETTLE: do_drain(operation == SETTLE);
        PUT_SEGMENT: do_put_segment;
        MODEL_LINES: do_scan_lines(a, b, c);
        PUT_PRODUCTS: do_put_products(a, b[CLUSTERS-1:0], c, d, e[0]);
        PUT_WORDS: for (t = 0; t < b; t = t + 1) put(a);
        TRAFFIC: begin
          gaps   = a[0];
          stalls = b[0];
        end
        PAUSE: repeat (a) @(negedge clk);
        SAY_SENT: job_sent = 1'b1;
        WAIT_IRQ: begin
          for (t = 0; !irq && t < PATIENCE; t = t + 1) @(negedge clk);
          check(irq, "an interrupt comes", 0, 64'd0, 64'd1);
          job_sent = 1'b0;
        end
        NO_IRQ: check(!irq, "no interrupt", 0, 64'd1, 64'd0);
        MARK: marked = taken[0];
        default: check(1'b0, "a step that is not defined", 0, {56'd0, operation}, 64'd0);
      endcase
    end
  endtask

  // -- The test is a list of steps, which is made first and executed afterwards. Verilator copies a task that takes time
  // to each of its calls, so each such task is called in one place only. The comments list the operands.

  localparam [7:0] WRITE	= 8'd0;	// offset, value, byte enables, cycles from address to data
  localparam [7:0] READ	= 8'd1;	// offset, smallest and largest value
  localparam [7:0] ERROR	= 8'd2;	// code, row, cluster
  localparam [7:0] PUT_RECORDS	= 8'd3;	// first record, number of records
  localparam [7:0] PUT_PARTIALS	= 8'd4;	// row, clusters, entry
  localparam [7:0] PUT_LINE	= 8'd5;	// row, clusters, line
  localparam [7:0] ALIGN	= 8'd6;	// none; the next data begins in lane 0 of a beat
  localparam [7:0] SEND	= 8'd7;	// row, command, clusters, count, extra beats
  localparam [7:0] EXPECT	= 8'd8;	// row, clusters, entry, last
  localparam [7:0] DRAIN	= 8'd9;	// none; waits until every beat was sent and every result came
  localparam [7:0] SETTLE	= 8'd10;	// none; waits as DRAIN does, and until the array is idle or has an error
  localparam [7:0] PUT_SEGMENT	= 8'd11;	// none; a segment with weights for the activations of a line
  localparam [7:0] TRAFFIC	= 8'd12;	// gaps, stalls
  localparam [7:0] PAUSE	= 8'd13;	// cycles
  localparam [7:0] SAY_SENT	= 8'd14;	// none; the last packet of the job was sent
  localparam [7:0] WAIT_IRQ	= 8'd15;	// none; waits for the interrupt
  localparam [7:0] NO_IRQ	= 8'd16;	// none; checks that there is no interrupt
  localparam [7:0] MARK	= 8'd17;	// none; starts to count the beats of row 0
  localparam [7:0] READ_BEATS	= 8'd18;	// offset
  localparam [7:0] MODEL_LINES	= 8'd19;	// row, first line, number of lines
  localparam [7:0] PUT_PRODUCTS	= 8'd20;	// row, clusters, segments, entry, resume
  localparam [7:0] PUT_WORDS	= 8'd21;	// word, number of copies

  localparam STEP_WIDTH = 8 + 5 * 32 + TEXT_WIDTH; // operation, operands, text

  reg [STEP_WIDTH-1:0]	step [0:STEPS_MAX-1];
  integer	steps = 0;

  task plan(input [7:0] operation, input integer a, input integer b, input integer c, input integer d,
            input integer e, input [TEXT_WIDTH-1:0] what);
    /* verilator no_inline_task */
    begin
      step[steps] = {operation, a, b, c, d, e, what};
      steps = steps + 1;
    end
  endtask

  task write(input [9:0] offset, input [31:0] value);
    plan(WRITE, {22'd0, offset}, value, 15, 0, 0, 0);
  endtask

  task read(input [9:0] offset, input [31:0] want, input [TEXT_WIDTH-1:0] what);
    plan(READ, {22'd0, offset}, want, want, 0, 0, what);
  endtask

  task drain;
    plan(DRAIN, 0, 0, 0, 0, 0, 0);
  endtask

  task settle;
    plan(SETTLE, 0, 0, 0, 0, 0, 0);
  endtask

  task send(input integer to, input [7:0] command, input [CLUSTERS-1:0] clusters, input integer count,
            input integer extra);
    /* verilator no_inline_task */
    plan(SEND, to, {24'd0, command}, {{32-CLUSTERS{1'b0}}, clusters}, count, extra, 0);
  endtask

  task configure(input integer to, input [CLUSTERS-1:0] clusters, input integer buffer, input integer first,
                 input integer records);
    /* verilator no_inline_task */
    begin
      plan(PUT_RECORDS, first, records, 0, 0, 0, 0);
      send(to, CONFIG | buffer[7:0], clusters, 0, 0);
    end
  endtask

  task put_partials(input integer to, input [CLUSTERS-1:0] clusters, input integer at);
    plan(PUT_PARTIALS, to, {{32-CLUSTERS{1'b0}}, clusters}, at, 0, 0, 0);
  endtask

  task expect_results(input integer from, input [CLUSTERS-1:0] clusters, input integer at, input last);
    plan(EXPECT, from, {{32-CLUSTERS{1'b0}}, clusters}, at, {31'd0, last}, 0, 0);
  endtask

  // Loads `count` sets of partial sums into entries `at`, at + stride, ..., modulo ENTRIES.
  task partials(input integer to, input [CLUSTERS-1:0] clusters, input integer buffer, input integer at,
                input integer stride, input integer count);
    /* verilator no_inline_task */
    integer i;
    begin
      for (i = 0; i < count; i = i + 1)
        put_partials(to, clusters, (at + i * stride + ENTRIES) % ENTRIES);
      send(to, EXEC | buffer[7:0], clusters, count, 0);
    end
  endtask

  // Reads `count` sets of results from entries `at`, at + stride, ..., modulo ENTRIES.
  task results(input integer from, input [CLUSTERS-1:0] clusters, input integer buffer, input integer at,
               input integer stride, input integer count);
    /* verilator no_inline_task */
    integer i;
    begin
      for (i = 0; i < count; i = i + 1)
        expect_results(from, clusters, (at + i * stride + ENTRIES) % ENTRIES, i == count - 1);
      send(from, SHIFT_OUT | buffer[7:0], clusters, count, 0);
    end
  endtask

  // Loads `count` blocks of activations. The operands are those of the configuration, in lines.
  task inputs(input integer to, input [CLUSTERS-1:0] clusters, input integer count, input integer block,
              input integer address, input integer stride, input integer inner, input integer pitch,
              input integer wrap);
    /* verilator no_inline_task */
    integer i;
    integer l;
    integer at;
    begin
      at = address;
      for (i = 0; i < count; i = i + 1) begin
        for (l = 0; l < block; l = l + 1)
          plan(PUT_LINE, to, {{32-CLUSTERS{1'b0}}, clusters}, (at + l) % wrap, 0, 0, 0);
        at = at + stride + wrap;
        if (inner != 0 && (i + 1) % inner == 0) at = at + pitch;
        at = at % wrap;
      end
      send(to, EXEC, clusters, count, 0);
    end
  endtask

  // Checks that the device reports this error at this place.
  task error(input [15:0] code, input integer at_row, input integer at_cluster);
    plan(ERROR, {16'd0, code}, at_row, at_cluster, 0, 0, 0);
  endtask

  task reset_softly;
    begin
      drain;
      write(`TULLE_REG_RESET, 32'h52455354);
      plan(PAUSE, 4, 0, 0, 0, 0, 0);
    end
  endtask

  // The offset and the reset value of every register of this variant
  localparam REGISTERS = ${registers};

  reg [41:0] reset_value [0:REGISTERS-1];

  initial begin
//: for i < registers
    reset_value[${i}]	= {`TULLE_REG_${register_name[i]},	32'h${register_reset[i]}};
//: end
  end

  task test_reset_values;
    integer i;
    begin
      for (i = 0; i < REGISTERS; i = i + 1)
        read(reset_value[i][41:32], reset_value[i][31:0], "value after reset, of the offset");
    end
  endtask

  task test_registers;
    begin
      write(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567);
      plan(WRITE, {22'd0, `TULLE_REG_ADDRESS_PROGRAM_HIGH}, 32'h89ABCDEF, 15, 3, 0, 0);
      plan(WRITE, {22'd0, `TULLE_REG_SIZE_EXTRA_HIGH}, 32'h76543210, 15, -3, 0, 0);
      write(`TULLE_REG_JOB, 32'h77777777);
      plan(WRITE, {22'd0, `TULLE_REG_JOB}, 32'h00AA0055, 5, 0, 0, 0);
      read(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567, "argument");
      read(`TULLE_REG_ADDRESS_PROGRAM_HIGH, 32'h89ABCDEF, "argument, data late");
      read(`TULLE_REG_SIZE_EXTRA_HIGH, 32'h76543210, "argument, data early");
      read(`TULLE_REG_JOB, 32'h77AA7755, "argument, some bytes");

      write(`TULLE_REG_MAGIC, 32'h0);
      read(`TULLE_REG_MAGIC, `TULLE_RESET_MAGIC, "read-only register");
      write(`TULLE_REG_ADDRESS_PROGRAM_HIGH + 10'd4, 32'hFFFFFFFF);
      read(`TULLE_REG_ADDRESS_PROGRAM_HIGH + 10'd4, 32'h0, "free word of an argument");
      write(10'h3FC, 32'hFFFFFFFF);
      read(10'h3FC, 32'h0, "offset without a register");

      write(`TULLE_REG_WATCHDOG, 32'h11223344);
      plan(WRITE, {22'd0, `TULLE_REG_WATCHDOG}, 32'hAABBCCDD, 10, 0, 0, 0);
      read(`TULLE_REG_WATCHDOG, 32'hAA22CC44, "register, odd bytes");
      plan(WRITE, {22'd0, `TULLE_REG_WATCHDOG}, 32'h55667788, 5, 0, 0, 0);
      read(`TULLE_REG_WATCHDOG, 32'hAA66CC88, "register, even bytes");

      // Addresses behind the register block have no effect.
      plan(WRITE, {20'd0, 2'b01, `TULLE_REG_WATCHDOG}, 32'd0, 15, 0, 0, 0);
      read(`TULLE_REG_WATCHDOG, 32'hAA66CC88, "register, another address written");
      plan(READ, {20'd0, 2'b01, `TULLE_REG_MAGIC}, 0, 0, 0, 0, "address behind the registers");
      plan(READ, {20'd0, 2'b10, `TULLE_REG_MAGIC}, 0, 0, 0, 0, "address behind the registers");

      reset_softly;
      read(`TULLE_REG_WATCHDOG, `TULLE_RESET_WATCHDOG, "a soft reset resets registers");
      read(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567, "a soft reset keeps arguments");
    end
  endtask

  task test_jobs;
    begin
      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);
      write(`TULLE_REG_INTERRUPT_MASK, 32'd1);
      write(`TULLE_REG_CONTROL, 32'd1);
      read(`TULLE_REG_CONTROL, 32'd0, "a job runs");
      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_RUNNING}, "status of a running job");
      plan(MARK, 0, 0, 0, 0, 0, 0);
      configure(0, ALL, 0, PARTIALS, PARTIALS_RECORDS);
      partials(0, ALL, 0, 0, 1, 2);
      configure(0, ALL, 0, RESULTS, RESULTS_RECORDS);
      results(0, ALL, 0, 0, 1, 2);
      drain;
      plan(NO_IRQ, 0, 0, 0, 0, 0, 0);
      plan(SAY_SENT, 0, 0, 0, 0, 0, 0);
      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);
      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_OK}, "status of a finished job");
      read(`TULLE_REG_INTERRUPT_STATUS, 32'd1, "pending events");
      plan(READ_BEATS, {22'd0, `TULLE_REG_BUS_BEATS_LOW}, 0, 0, 0, 0, 0);
      plan(READ, {22'd0, `TULLE_REG_CYCLES_LOW}, COUNTERS * 20, COUNTERS * PATIENCE, 0, 0, "cycles counted");
      read(`TULLE_REG_CONTROL, 32'b01110, "done, idle, ready");
      read(`TULLE_REG_CONTROL, 32'b00100, "reading clears done and ready");
      write(`TULLE_REG_INTERRUPT_STATUS, 32'd1);
      read(`TULLE_REG_INTERRUPT_STATUS, 32'd0, "writing 1 clears an event");
      plan(NO_IRQ, 0, 0, 0, 0, 0, 0);

      // A second job waits until the host has acknowledged the end of the first one.
      write(`TULLE_REG_CONTROL, 32'd1);
      plan(SAY_SENT, 0, 0, 0, 0, 0, 0);
      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);
      write(`TULLE_REG_CONTROL, 32'd1);
      plan(PAUSE, 8, 0, 0, 0, 0, 0);
      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_OK}, "the next job waits");
      write(`TULLE_REG_CONTROL, 32'b10000);
      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_RUNNING}, "after ap_continue it runs");

      // A soft reset ends the job.
      reset_softly;
      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_ABORTED}, "status of an aborted job");
      read(`TULLE_REG_CONTROL, 32'b00100, "idle after a soft reset");
    end
  endtask

  task test_failing_jobs;
    begin
      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);
      write(`TULLE_REG_INTERRUPT_MASK, 32'd3);
      write(`TULLE_REG_CONTROL, 32'd1);
      send(ROWS - 1, EXEC, 1 << (CLUSTERS - 1), 1, 0);
      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);
      read(`TULLE_REG_INTERRUPT_STATUS, 32'd3, "events of a failed job");
      error(`TULLE_STATUS_NOT_CONFIGURED, ROWS - 1, CLUSTERS - 1);
      reset_softly;
      read(`TULLE_REG_STATUS, 32'd0, "a soft reset clears the status");

      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);
      write(`TULLE_REG_INTERRUPT_MASK, 32'd1);
      write(`TULLE_REG_WATCHDOG, 32'd100);
      write(`TULLE_REG_CONTROL, 32'd1);
      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);
      read(`TULLE_REG_STATUS, {8'd0, `TULLE_QUEUE_COMMAND, `TULLE_STATUS_WATCHDOG}, "status after the watchdog");
      reset_softly;
    end
  endtask

  // Loads and stores partial sums: in each cluster alone, in several, and in all of a row; in all rows at once.
  task test_partial_sums;
    integer r;
    integer c;
    begin
      for (c = 0; c < CLUSTERS; c = c + 1)
        for (r = 0; r < ROWS; r = r + 1) begin
          configure(r, 1 << c, 0, PARTIALS, PARTIALS_RECORDS);
          partials(r, 1 << c, 0, 0, 1, 4);
        end
      for (r = 0; r < ROWS; r = r + 1) begin
        partials(r, EVEN[CLUSTERS-1:0], 0, 0, 1, 1);
        configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);
        results(r, ALL, 0, 0, 1, 4);
        results(r, 1 << (CLUSTERS - 1), 0, 0, 1, 3);
        results(r, ODD[CLUSTERS-1:0], 0, 0, 1, 2);
      end
      drain;
    end
  endtask

  // Tests operands: bases, negative strides, strides of two, packets that continue the last one, a whole queue.
  task test_result_operands;
    integer r;
    begin
      reset_softly;
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, OTHER, PARTIALS_DOWN, PARTIALS_DOWN_RECORDS);
        partials(r, ALL, OTHER, 3, -1, 5); // the fifth goes to the last entry
        configure(r, ALL, OTHER, RESULTS_STEP, RESULTS_STEP_RECORDS);
        results(r, ALL, OTHER, 1, 2, 2);
        configure(r, ALL, 0, PARTIALS_GO_ON, PARTIALS_GO_ON_RECORDS);
        partials(r, ALL, 0, 0, 1, 1);
        partials(r, ALL, 0, 1, 1, 2);
        partials(r, ALL, 0, 3, 1, 1);
        configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);
        results(r, ALL, 0, 0, 1, 4);
        send(r, SHIFT_OUT, ALL, 0, 0); // a count of 0 runs no iteration
        send(r, EXEC, ALL, 1, 0);      // without shift_out nothing is stored
      end
      drain;
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, 0, PARTIALS, PARTIALS_RECORDS);
        partials(r, ALL, 0, 0, 1, ENTRIES < 16 ? ENTRIES : 16);
        configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);
        results(r, ALL, 0, 0, 1, ENTRIES < 16 ? ENTRIES : 16);
      end
      drain;
    end
  endtask

  // Checks the contents of the input buffers of a row by multiplying them with weights.
  task held(input integer r);
    begin
      configure(r, ALL, 0, SEGMENT, SEGMENT_RECORDS);
      plan(PUT_SEGMENT, 0, 0, 0, 0, 0, 0);
      send(r, EXEC, ALL, 1, 0);
      configure(r, ALL, 0, SCAN_LINES, SCAN_LINES_RECORDS);
      plan(MODEL_LINES, r, 0, LINES_READ, 0, 0, 0);
      send(r, EXEC, ALL, LINES_READ, 0);
      configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);
      results(r, ALL, 0, 0, 1, LINES_READ);
      configure(r, ALL, 0, SEGMENT, SEGMENT_RECORDS);
      plan(PUT_SEGMENT, 0, 0, 0, 0, 0, 0);
      send(r, EXEC, ALL, 1, 0);
      configure(r, ALL, 0, LAST_LINE, LAST_LINE_RECORDS);
      plan(MODEL_LINES, r, LINES - 1, 1, 0, 0, 0);
      send(r, EXEC, ALL, 1, 0);
      configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);
      results(r, ALL, 0, 0, 1, 1);
    end
  endtask

  task test_activations;
    integer r;
    integer c;
    begin
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, 0, INPUTS, INPUTS_RECORDS);
        inputs(r, ALL, 8, 2, 0, 2, 0, 0, LINES);
        configure(r, ALL, 0, INPUTS_END, INPUTS_END_RECORDS);
        inputs(r, ALL, 1, 2, LINES - 1, 0, 0, 0, LINES);
        held(r);
      end
      drain;
      for (c = 0; c < CLUSTERS; c = c + 1)
        for (r = 0; r < ROWS; r = r + 1) begin
          configure(r, 1 << c, 0, INPUTS_PITCH, INPUTS_PITCH_RECORDS);
          inputs(r, 1 << c, 7, 1, 1, 1, 2, 2, 8);
          configure(r, 1 << c, 0, INPUTS_END, INPUTS_END_RECORDS);
          inputs(r, 1 << c, 1, 2, LINES - 1, 0, 0, 0, LINES);
        end
      for (r = 0; r < ROWS; r = r + 1) held(r);
      drain;
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, 0, INPUTS_BACK, INPUTS_BACK_RECORDS);
        inputs(r, ALL, 3, 2, 0, -1, 0, 0, 4);
        held(r);
      end
      drain;
    end
  endtask
//: if instruction_depth >= 2
  // Loads and stores partial sums in one sequence.
  task test_through;
    integer r;
    integer i;
    begin
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, 0, THROUGH, THROUGH_RECORDS);
        for (i = 0; i < 4; i = i + 1) begin
          put_partials(r, ALL, i);
          expect_results(r, ALL, i, i == 3);
        end
        send(r, SHIFT_OUT, ALL, 4, 0);
      end
      drain;
    end
  endtask

  // Runs two loads of activations in one sequence.
  task test_two_loads;
    integer r;
    integer i;
    begin
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, 0, INPUTS_TWO, INPUTS_TWO_RECORDS);
        for (i = 0; i < 8; i = i + 1)
          plan(PUT_LINE, r, {{32-CLUSTERS{1'b0}}, ALL}, i ^ 1, 0, 0, 0);
        send(r, EXEC, ALL, 4, 0);
        held(r);
      end
      drain;
    end
  endtask

//: end
//: if instruction_depth >= 3
  // The activations end in the middle of a beat. The partial sums that follow begin in the next beat.
  task test_mixed;
    integer r;
    integer i;
    begin
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, 0, MIXED, MIXED_RECORDS);
        for (i = 0; i < 4; i = i + 1) begin
          plan(ALIGN, 0, 0, 0, 0, 0, 0);
          plan(PUT_LINE, r, {{32-CLUSTERS{1'b0}}, ALL}, i, 0, 0, 0);
          put_partials(r, ALL, i);
          expect_results(r, ALL, i, i == 3);
        end
        send(r, SHIFT_OUT, ALL, 4, 0);
      end
      drain;
      for (r = 0; r < ROWS; r = r + 1) held(r);
      drain;
    end
  endtask

  // Sums of products: one packet of weights, then one that continues its sums and stores the results.
  task test_products;
    integer r;
    integer i;
    integer n;
    begin
      for (r = 0; r < ROWS; r = r + 1)
        for (n = 0; n < 3; n = n + 1) begin
          configure(r, ALL, 0, PRODUCTS, PRODUCTS_RECORDS);
          plan(PUT_PRODUCTS, r, {{32-CLUSTERS{1'b0}}, ALL}, 4, 0, 0, 0);
          if (n == 1) for (i = 0; i < 4; i = i + 1) expect_results(r, ALL, i, i == 3);
          send(r, n == 1 ? SHIFT_OUT : EXEC, ALL, 4, 0);
          if (n != 1) begin
            configure(r, ALL, OTHER, PRODUCTS_MORE, PRODUCTS_MORE_RECORDS);
            plan(PUT_PRODUCTS, r, {{32-CLUSTERS{1'b0}}, ALL}, 4, 0, 1, 0);
            for (i = 0; i < 4; i = i + 1) expect_results(r, ALL, i, i == 3);
            send(r, SHIFT_OUT | OTHER, ALL, 4, 0);
          end
        end
      drain;
    end
  endtask
//: end
//: if other_buffer >= 1
  // Tests a buffer that triggers another one when it is done.
  task test_triggers;
    integer r;
    begin
      for (r = 0; r < ROWS; r = r + 1) begin
        configure(r, ALL, 0, TRIGGERS, TRIGGERS_RECORDS);
        configure(r, ALL, OTHER, RESULTS, RESULTS_RECORDS);
        put_partials(r, ALL, 0);
        put_partials(r, ALL, 1);
        expect_results(r, ALL, 0, 1'b1);
        send(r, SHIFT_OUT, ALL, 2, 0);
      end
      drain;
    end
  endtask

//: end
  localparam SET_BEATS	= (PES * ELEMENT_WIDTH + BUS_WIDTH - 1) / BUS_WIDTH;	// beats of a set of partial sums
  localparam LINES_BEATS	= (32 * LINE_WIDTH + BUS_WIDTH - 1) / BUS_WIDTH;	// beats of 32 lines of activations

  // -- Errors: each test uses another cluster, while the others work

  integer turn	= 0;
  integer bad_row	= 0;
  integer bad_cluster	= 0;

  // Checks the error and its place. Later packets are accepted and ignored. After a soft reset the device works.
  task judge(input [15:0] code);
    begin
      settle; // a record may be looked at behind the packet's last beat
      error(code, bad_row, bad_cluster);
      configure(bad_row, 1 << bad_cluster, 0, RESULTS, RESULTS_RECORDS);
      send(bad_row, SHIFT_OUT, 1 << bad_cluster, 3, 0);
      drain;
      error(code, bad_row, bad_cluster);
      reset_softly;
      read(`TULLE_REG_STATUS, 32'd0, "status after a soft reset");
      configure(bad_row, ALL, 0, PARTIALS, PARTIALS_RECORDS);
      partials(bad_row, ALL, 0, 0, 1, 2);
      configure(bad_row, ALL, 0, RESULTS, RESULTS_RECORDS);
      results(bad_row, ALL, 0, 0, 1, 2);
      drain;
      read(`TULLE_REG_STATUS, 32'd0, "no error after the soft reset");
      turn        = turn + 1;
      bad_row     = turn % ROWS;
      bad_cluster = turn / ROWS % CLUSTERS;
    end
  endtask

  // Cases that are refused: a configuration, or a packet (command, count, beats) after a legal configuration.
  localparam CASES_MAX	= 64;	// cases that the bench holds
  localparam CASE_WIDTH	= 32 + 16 + COMMAND_WIDTH + 16 + 16 + 16;	// first, records, command, count, beats, code

  reg [CASE_WIDTH-1:0]	cases [0:CASES_MAX-1];
  integer	case_count = 0;

  task bad_exec(input integer first, input integer records, input [7:0] command, input integer count,
                input integer beats, input [15:0] code);
    begin
      cases[case_count] = {first[31:0], records[15:0], command, count[15:0], beats[15:0], code};
      case_count = case_count + 1;
    end
  endtask

  task bad_config(input integer first, input integer records, input [15:0] code);
    bad_exec(first, records, 8'd0, 0, 0, code);
  endtask

  // A case without records has no configuration before its packet.
  task test_cases;
    integer i;
    integer first;
    reg [15:0] records;
    reg [7:0] command;
    reg [15:0] count;
    reg [15:0] beats;
    reg [15:0] code;
    begin
      for (i = 0; i < case_count; i = i + 1) begin
        {first, records, command, count, beats, code} = cases[i];
        if (records == 16'd0) reset_softly; // no buffer is configured
        else configure(bad_row, 1 << bad_cluster, 0, first, {16'd0, records});
        if (beats != 16'd0) send(bad_row, command, 1 << bad_cluster, {16'd0, count}, {16'd0, beats} - 1);
        judge(code);
      end
    end
  endtask

  task test_errors;
    begin
      bad_exec(0, 0, CONFIG | 8'h20, 0, 1, `TULLE_STATUS_BAD_COMMAND);
      bad_exec(0, 0, EXEC, 1, 1, `TULLE_STATUS_NOT_CONFIGURED);
      bad_exec(0, 0, EXEC | 8'd31, 1, 1, `TULLE_STATUS_NOT_CONFIGURED);
      if (BUFFERS < 32) bad_exec(0, 0, CONFIG | 8'd31, 1, 1, `TULLE_STATUS_NOT_CONFIGURED);

      bad_config(BAD_VERSION, BAD_VERSION_RECORDS, `TULLE_STATUS_CONFIG_VERSION);
      bad_config(BAD_FIELD, BAD_FIELD_RECORDS, `TULLE_STATUS_BAD_FIELD);
      bad_config(BAD_RESERVED, BAD_RESERVED_RECORDS, `TULLE_STATUS_BAD_RESERVED);
      bad_config(BAD_INSTRUCTION, BAD_INSTRUCTION_RECORDS, `TULLE_STATUS_BAD_INSTRUCTION);
      bad_config(BAD_CHECK, BAD_CHECK_RECORDS, `TULLE_STATUS_CONFIG_CHECK);
      bad_config(BAD_CHECK_FIRST, BAD_CHECK_FIRST_RECORDS, `TULLE_STATUS_CONFIG_CHECK);
      bad_config(BAD_SHORT, BAD_SHORT_RECORDS, `TULLE_STATUS_CONFIG_LENGTH);
      bad_config(BAD_LONG, BAD_LONG_RECORDS, `TULLE_STATUS_CONFIG_LENGTH);
      bad_config(BAD_KIND, BAD_KIND_RECORDS, `TULLE_STATUS_BAD_FIELD);
      bad_config(BAD_ADDRESS, BAD_ADDRESS_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);
      bad_config(BAD_RESULT, BAD_RESULT_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);
//: if scalar_unit
      bad_config(BAD_COPY, BAD_COPY_RECORDS, `TULLE_STATUS_BAD_FIELD);
//: else
      bad_config(NO_SPU, NO_SPU_RECORDS, `TULLE_STATUS_NO_FEATURE);
//: end
      bad_config(NO_TABLE, NO_TABLE_RECORDS, `TULLE_STATUS_NO_FUNCTION);
      bad_config(BAD_BASE, BAD_BASE_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);

      bad_exec(BAD_BLOCK, BAD_BLOCK_RECORDS, EXEC, 1, 3, `TULLE_STATUS_OUT_OF_BUFFER);
      bad_config(BAD_STRIDE, BAD_STRIDE_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);

      bad_exec(NO_WINDOW, NO_WINDOW_RECORDS, EXEC, 1, 1, `TULLE_STATUS_NO_FEATURE);
      bad_exec(LAST_LINE, LAST_LINE_RECORDS, EXEC, 1, 1, `TULLE_STATUS_PACKET_LENGTH); // no weights

      bad_exec(BAD_RING, BAD_RING_RECORDS, EXEC, 1, 1, `TULLE_STATUS_BAD_LOOP);

      // Wrong numbers of beats: one too few, one too many, two for a sequence that takes none.
      bad_exec(PARTIALS, PARTIALS_RECORDS, EXEC, 3, SET_BEATS * 3 - 1, `TULLE_STATUS_PACKET_LENGTH);
      bad_exec(PARTIALS, PARTIALS_RECORDS, EXEC, 3, SET_BEATS * 3 + 1, `TULLE_STATUS_PACKET_LENGTH);
      bad_exec(INPUTS, INPUTS_RECORDS, EXEC, 16, LINES_BEATS - 1, `TULLE_STATUS_PACKET_LENGTH);
      bad_exec(INPUTS, INPUTS_RECORDS, EXEC, 16, LINES_BEATS + 1, `TULLE_STATUS_PACKET_LENGTH);
      bad_exec(RESULTS, RESULTS_RECORDS, EXEC, 1, 2, `TULLE_STATUS_PACKET_LENGTH);

//: if maximum
      bad_config(NO_MAXIMUM, NO_MAXIMUM_RECORDS, `TULLE_STATUS_BAD_FIELD);
//: else
      bad_config(NO_MAXIMUM, NO_MAXIMUM_RECORDS, `TULLE_STATUS_NO_FEATURE);
//: end
//: if instruction_buffers < 32
      bad_config(BAD_TRIGGER, BAD_TRIGGER_RECORDS, `TULLE_STATUS_BAD_FIELD);
//: end
//: if instruction_depth < 32
      bad_config(BAD_FULL, BAD_FULL_RECORDS, `TULLE_STATUS_CONFIG_LENGTH);
//: end
//: if missing_function
      bad_config(BAD_FUNCTION, BAD_FUNCTION_RECORDS, `TULLE_STATUS_NO_FUNCTION);
//: end
      test_cases;
    end
  endtask

  // Illegal weights: packets of one beat, and a packet of as many beats as overflow a queue.
  localparam FLOOD = (WEIGHT_DEPTH + SCAN) / BEAT_ENTRIES * WEIGHT_BEATS + 8 * WEIGHT_BEATS; // beats of the long packet

  task bad_weights(input [31:0] word, input integer beats, input integer count, input [15:0] code);
    begin
      configure(bad_row, 1 << bad_cluster, 0, SEGMENT, SEGMENT_RECORDS);
      plan(PUT_WORDS, word, beats * BUS_WORDS, 0, 0, 0, 0);
      send(bad_row, EXEC, 1 << bad_cluster, count, 0);
      judge(code);
    end
  endtask

  task test_weight_errors;
    begin
      bad_weights(32'h00000000, WEIGHT_BEATS, 1, `TULLE_STATUS_PACKET_LENGTH); // a segment that does not end
//: if long_jumps < 1
      bad_weights(32'hFFFFFFFF, WEIGHT_BEATS, 1, `TULLE_STATUS_BAD_ESCAPE);
//: end
//: if long_jumps
      bad_weights(32'hFFFFFFFF, WEIGHT_BEATS, 1, `TULLE_STATUS_PACKET_LENGTH); // long jumps, and no segment ends
//: end
      if (WEIGHT_BEATS > 1) bad_weights(32'h00000000, 1, 1, `TULLE_STATUS_PACKET_LENGTH);
      if (FLOOD < QUEUE_DEPTH) bad_weights(32'h00000000, FLOOD, 1, `TULLE_STATUS_QUEUE_OVERFLOW);
      configure(bad_row, 1 << bad_cluster, 0, SEGMENT_TWICE, SEGMENT_TWICE_RECORDS);
      plan(PUT_SEGMENT, 0, 0, 0, 0, 0, 0);
      send(bad_row, EXEC, 1 << bad_cluster, 3, 0);
      judge(`TULLE_STATUS_PACKET_LENGTH);
    end
  endtask
  // An error in one cluster does not stop the others. The first error is kept.
  task test_isolation;
    begin
      reset_softly;
      send(0, EXEC, 1, 1, 0);
      drain;
      error(`TULLE_STATUS_NOT_CONFIGURED, 0, 0);
      send(ROWS - 1, CONFIG | 8'h40, 1 << (CLUSTERS - 1), 0, 0);
      drain;
      error(`TULLE_STATUS_NOT_CONFIGURED, 0, 0);
      if (CLUSTERS > 1 && ROWS > 1) begin
        configure(0, 1 << (CLUSTERS - 1), 0, PARTIALS, PARTIALS_RECORDS);
        partials(0, 1 << (CLUSTERS - 1), 0, 0, 1, 3);
        configure(0, 1 << (CLUSTERS - 1), 0, RESULTS, RESULTS_RECORDS);
        results(0, 1 << (CLUSTERS - 1), 0, 0, 1, 3);
        drain;
      end
      reset_softly;
    end
  endtask

  // Runs the longest sequence in as many buffers as the register file holds. A new configuration of a buffer frees
  // the registers of the old one, so the first buffers are configured more than once. The soft reset before frees
  // the registers of all other buffers.
  localparam LONG_BUFFERS	= BUFFERS < LONG_BUFFERS_MAX ? BUFFERS : LONG_BUFFERS_MAX;	// buffers of this test

  task test_longest;
    integer b;
    integer i;
    begin
      reset_softly;
      for (i = 0; i < LONG_BUFFERS + 16; i = i + 1) configure(0, ALL, i % LONG_BUFFERS, LONGEST, LONGEST_RECORDS);
      for (b = 0; b < LONG_BUFFERS; b = b + 1) begin
        for (i = 1; i < LONGEST_RECORDS - 1; i = i + 1) put_partials(0, ALL, 0);
        expect_results(0, ALL, 0, 1'b1);
        send(0, SHIFT_OUT | b[7:0], ALL, 1, 0);
      end
      drain;
      read(`TULLE_REG_STATUS, 32'd0, "the longest sequences run");
    end
  endtask

  // Configures one buffer more than the register file holds.
  task test_full_register_file;
    integer b;
    begin
      reset_softly;
      for (b = 0; b <= LONG_BUFFERS_MAX; b = b + 1)
        configure(bad_row, 1 << bad_cluster, b, LONGEST, LONGEST_RECORDS);
      judge(`TULLE_STATUS_CONFIG_LENGTH);
    end
  endtask

  task test_data;
    begin
      test_partial_sums;
      test_result_operands;
      test_activations;
//: if instruction_depth >= 2
      test_through;
      test_two_loads;
//: end
//: if instruction_depth >= 3
      test_mixed;
      test_products;
//: end
//: if other_buffer >= 1
      test_triggers;
//: end
    end
  endtask

  // -- The test

  integer round;

  task plan_all;
    begin
      test_reset_values;
      test_registers;
//: if functions
      configure(0, ALL, 0, FUNCTION, FUNCTION_RECORDS);
      drain;
      read(`TULLE_REG_STATUS, 32'd0, "a function of the array is accepted");
//: end
      for (round = 0; round < rounds; round = round + 1) begin
        plan(TRAFFIC, round % 2, round / 2, 0, 0, 0, 0);
        test_data;
      end
      test_longest;
      test_errors;
      test_weight_errors;
      test_isolation;
      if (LONG_BUFFERS_MAX < BUFFERS) test_full_register_file;
      test_jobs;
      test_failing_jobs;
    end
  endtask

  integer	at_step;
  reg [7:0]	do_operation;
  integer	do_a;
  integer	do_b;
  integer	do_c;
  integer	do_d;
  integer	do_e;
  reg [TEXT_WIDTH-1:0]	do_what;

  initial begin
    @(negedge clk); // the arguments were read by now
    plan_all;
    check(steps <= STEPS_MAX, "the steps fit the bench", 0, {32'd0, steps}, STEPS_MAX);
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    repeat (4) @(negedge clk);
    for (at_step = 0; at_step < steps; at_step = at_step + 1) begin
      {do_operation, do_a, do_b, do_c, do_d, do_e, do_what} = step[at_step];
      do_step(do_operation, do_a, do_b, do_c, do_d, do_e, do_what);
    end
    finish;
  end

endmodule

`default_nettype wire
