// SPDX-License-Identifier: Apache-2.0
// Data keep the order of requests. A burst of the bank of the solver's choosing, from the moment in which a reader of its choosing asks for
// it, stands for all: the beats of the bank that this reader asked for before it are there before it, each of its beats is read once, in
// order, and goes to this reader. For the load engine all bursts of memory before it are delivered before its first beat, and no beat of
// memory behind it comes before its last. Memory gives beats when it is not told to wait, as tulle_read_port passes them on.

  localparam LINE = $clog2(MEM / 8);
  localparam BEAT = $clog2(1024) - LINE;
  localparam LOAD = READERS - 1;
  localparam [READERS-1:0] ONE = 1;

  (* anyseq *) wire choose;
  (* anyseq *) wire gives;     // memory
  (* anyconst *) wire [2:0] one;
  reg            may_q;        // memory gives a beat
  reg [3:0]      memory_q;     // bursts of memory under way, for the load engine
  reg            from_bank_q;
  reg [4:0]      owed_q;       // beats of the bank that the reader asked for and has not got
  reg            follow_q;
  reg [4:0]      ahead_q;      // those before the burst
  reg [3:0]      before_q;     // bursts of memory before it
  reg [WORD-1:0] word_q;       // its next word
  reg [BEAT-1:0] left_q;       // beats behind that one
  reg [WORD-1:0] read_1_q;     // the word that is read, and the one on its way to the wires
  reg [WORD-1:0] read_2_q;
  reg [2:0]      still_q;

  wire [63:0]     address   = request_address_i[64*one +: 64];
  wire [BEAT-1:0] beats     = request_beats_i[8*one +: BEAT];
  wire            taken     = request_valid_i[one] && request_ready_o[one] && address[63];
  wire            to_memory = request_valid_i[LOAD] && request_ready_o[LOAD] && !request_address_i[64*LOAD+63];
  wire            delivered = data_valid_i && data_last_i && !from_bank_q;
  wire            comes     = local_valid_o[one];
  wire            begins    = taken && choose && !follow_q;
  wire            mine      = follow_q && comes && ahead_q == 5'd0;

  always @(posedge clk_i) begin
    assume (one < READERS);
    assume (!taken || {1'b0, beats} + address[LINE +: BEAT] < 2 ** BEAT);
    may_q <= rst_ni && !hold_o && local_valid_o == 0 && gives;
    assume (data_valid_i == ((may_q && memory_q != 4'd0) || from_bank_q));
    assume (memory_q < OUTSTANDING || !port_ready_i[LOAD]);
    from_bank_q <= rst_ni && local_valid_o[LOAD];
    memory_q    <= !rst_ni ? 4'd0 : memory_q + to_memory - delivered;
    owed_q      <= !rst_ni ? 5'd0 : owed_q + (taken ? {1'b0, beats} + 5'd1 : 5'd0) - comes;
    {read_2_q, read_1_q} <= {read_1_q, read_word_o};

    follow_q <= rst_ni && (begins || (follow_q && !(mine && left_q == 0)));
    if (begins) begin
      ahead_q  <= owed_q - comes;
      before_q <= memory_q - delivered;
      word_q   <= address[LINE +: WORD];
      left_q   <= beats;
    end else begin
      if (comes && ahead_q != 5'd0)      ahead_q  <= ahead_q - 5'd1;
      if (delivered && before_q != 4'd0) before_q <= before_q - 4'd1;
      if (mine) begin
        word_q[BEAT-1:0] <= word_q[BEAT-1:0] + 1'b1;
        left_q           <= left_q - 1'b1;
      end
    end

    // Nothing waits for ever: with a bank that is ready, and memory that has given all, something is read.
    still_q <= (!rst_ni || !read_ready_i || read_valid_o || owed_q == 5'd0 || memory_q != 4'd0) ? 3'd0
             : still_q + (still_q != 3'd7);
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (!comes || owed_q != 5'd0);
    assert (!mine || (read_2_q == word_q && local_last_o == (left_q == 0) && (one != LOAD || before_q == 4'd0)));
    assert (!(follow_q && one == LOAD && before_q == 4'd0 && ahead_q == 5'd0 && data_valid_i && !from_bank_q));
    assert ((local_valid_o & (local_valid_o - ONE)) == 0);
    assert ((request_valid_i & request_ready_o & port_valid_o & ~port_ready_i) == 0);
    assert (still_q <= 3'd3);
    cover (mine && one == LOAD && left_q != 0);
    cover (mine && one != LOAD);
    cover (follow_q && one == LOAD && before_q == 4'd0 && memory_q != 4'd0); // memory is asked for ahead
  end
