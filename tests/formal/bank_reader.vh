// SPDX-License-Identifier: Apache-2.0
// The load engine's data keep the order of its requests. A burst of the bank of the solver's choosing, from the moment in which it is
// asked for, stands for all: every beat of the requests before it is there before its first one, each of its beats is read once, in
// order, and no beat of memory for a request behind it comes before its last one. The others' bursts are read once, in order, one at a
// time. Memory gives beats when it is not told to wait, as tulle_read_port passes them on.

  localparam LINE = $clog2(MEM / 8);
  localparam BEAT = $clog2(1024) - LINE;
  localparam LOAD = READERS - 1;
  localparam [READERS-1:0] ONE = 1;

  (* anyseq *) wire choose;
  (* anyseq *) wire gives;   // memory
  (* anyconst *) wire [2:0] one; // a reader but the load engine
  reg [3:0]      memory_q;   // bursts of memory under way, for the load engine
  reg            from_bank_q;
  reg [7:0]      owed_q;     // the load engine's beats of the bank that were asked for and not read
  reg            follow_q;
  reg [7:0]      ahead_q;    // beats of the bank before the burst
  reg [3:0]      before_q;   // bursts of memory before it
  reg [WORD-1:0] word_q;     // its next word
  reg [BEAT-1:0] left_q;     // beats behind that one

  reg            reads_q;    // a burst of reader `one` is being read
  reg [WORD-1:0] one_word_q;
  reg [BEAT-1:0] one_left_q;
  reg [1:0]      came_q;     // the beat of the burst is on its way: bit 0 in the bank, bit 1 to the wires
  reg [1:0]      last_q;
  reg            may_q;      // memory gives a beat

  wire [63:0]   load_address = request_address_i[64*LOAD +: 64];
  wire [BEAT-1:0] load_beats = request_beats_i[8*LOAD +: BEAT];
  wire          taken     = request_valid_i[LOAD] && request_ready_o[LOAD];
  wire          to_bank   = taken && load_address[63];
  wire          to_memory = taken && !load_address[63];
  wire          of_load;     // the beat that is read now is the load engine's
  wire          read      = read_valid_o && read_ready_i;
  wire          delivered = data_valid_i && data_last_i && !from_bank_q;
  wire          mine      = follow_q && read && of_load && ahead_q == 8'd0;
  wire          of_one    = read && !of_load && u_dut.reader_q[one];
  wire          one_taken = request_valid_i[one] && request_ready_o[one] && request_address_i[64*one+63];

  assign of_load = !u_dut.reads_q;

  always @(posedge clk_i) begin
    assume (one < LOAD);
    // Memory's beats come when they may, for bursts that were asked for; the port passes them on a cycle later.
    may_q <= rst_ni && !hold_o && local_valid_o == 0 && gives;
    assume (data_valid_i == ((may_q && memory_q != 4'd0) || from_bank_q));
    from_bank_q <= rst_ni && local_valid_o[LOAD];
    memory_q <= !rst_ni ? 4'd0 : memory_q + to_memory - delivered;
    assume (memory_q < OUTSTANDING || !port_ready_i[LOAD]);
    owed_q <= !rst_ni ? 8'd0 : owed_q + (to_bank ? load_beats + 8'd1 : 8'd0) - (read && of_load);

    if (!rst_ni)                               follow_q <= 1'b0;
    else if (to_bank && choose && !follow_q)   follow_q <= 1'b1;
    else if (mine && left_q == 0)              follow_q <= 1'b0;
    if (to_bank && choose && !follow_q) begin
      ahead_q  <= owed_q - (read && of_load);
      before_q <= memory_q - delivered;
      word_q   <= load_address[LINE +: WORD];
      left_q   <= load_beats;
    end else begin
      if (follow_q && read && of_load && ahead_q != 8'd0) ahead_q <= ahead_q - 8'd1;
      if (follow_q && delivered && before_q != 4'd0)      before_q <= before_q - 4'd1;
      if (mine) begin
        word_q[BEAT-1:0] <= word_q[BEAT-1:0] + 1'b1;
        left_q           <= left_q - 1'b1;
      end
    end
    came_q <= {came_q[0], rst_ni && mine} & {2{rst_ni}};
    last_q <= {last_q[0], left_q == 0};

    if (!rst_ni)                          reads_q <= 1'b0;
    else if (one_taken)                   reads_q <= 1'b1;
    else if (of_one && one_left_q == 0)   reads_q <= 1'b0;
    if (one_taken) begin
      one_word_q <= request_address_i[64*one+LINE +: WORD];
      one_left_q <= request_beats_i[8*one +: BEAT];
    end else if (of_one) begin
      one_word_q[BEAT-1:0] <= one_word_q[BEAT-1:0] + 1'b1;
      one_left_q           <= one_left_q - 1'b1;
    end
  end

  // Nothing waits for ever: the bank reads when it is ready, and then something comes.
  reg [2:0] still_q;
  always @(posedge clk_i)
    if (!rst_ni || read || !read_ready_i || (owed_q == 8'd0 && !reads_q) || memory_q != 4'd0) still_q <= 3'd0;
    else if (still_q != 3'd7) still_q <= still_q + 3'd1;

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (!mine || (before_q == {3'd0, delivered} && read_word_o == word_q));
    assert (!(read && of_load) || owed_q != 8'd0);
    assert (!(follow_q && before_q == 4'd0 && ahead_q == 8'd0 && data_valid_i && !from_bank_q));
    assert (came_q[1] == 1'b0 || (local_valid_o == ONE << LOAD && local_last_o == last_q[1]));
    assert (!of_one || (reads_q && read_word_o == one_word_q));
    assert ((local_valid_o & (local_valid_o - ONE)) == 0);
    assert ((request_valid_i & request_ready_o & port_valid_o & ~port_ready_i) == 0);
    assert (still_q <= 3'd2);
    cover (mine && left_q != 0);
    cover (follow_q && memory_q != before_q && before_q == 4'd0); // memory is asked for ahead
    cover (of_one && follow_q);
  end
