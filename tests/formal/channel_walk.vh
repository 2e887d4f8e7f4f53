// SPDX-License-Identifier: Apache-2.0
// A store's chunks are read in the order that the header says: each group of channels for `holds` groups of results, and `run` of
// them `repeats` times, before the next `run` follow.

  localparam CHUNKS = (PES + LANES - 1) / LANES;
  localparam DIGITS = PLACE - $clog2(GROUPS);
  localparam SMALL  = 3; // of the walk's numbers

  reg         walks_q;
  reg  [15:0] first_q, at_q, again_q, holding_q, step_part_q;
  reg  [2:0]  run_q, repeats_q, holds_q;
  wire [15:0] walked = ((first_q + at_q) % GROUPS) << DIGITS | step_part_q;
  wire        group_over = step_part_q == CHUNKS - 1;
  wire        held_over  = holding_q + 16'd1 >= holds_q; // 0 is 1
  wire        run_over   = at_q + 16'd1 >= run_q;
  wire        all_over   = again_q + 16'd1 >= repeats_q || run_q == 3'd0;

  always @(posedge clk_i) begin
    assume (walk_run_i <= SMALL && walk_repeats_i <= SMALL && walk_holds_i <= SMALL);
    assume (!step_i || (walks_q && !start_i));
    if (!rst_ni) walks_q <= 1'b0;
    else if (start_i) walks_q <= 1'b1;
    if (start_i) begin
      first_q     <= walk_first_i % GROUPS;
      run_q       <= walk_run_i;
      repeats_q   <= walk_repeats_i;
      holds_q     <= walk_holds_i;
      at_q        <= 16'd0;
      again_q     <= 16'd0;
      holding_q   <= 16'd0;
      step_part_q <= 16'd0;
    end else if (step_i) begin
      step_part_q <= group_over ? 16'd0 : step_part_q + 16'd1;
      if (group_over) holding_q <= held_over ? 16'd0 : holding_q + 16'd1;
      if (group_over && held_over) begin
        at_q <= run_over ? 16'd0 : at_q + 16'd1;
        if (run_over) again_q <= all_over ? 16'd0 : again_q + 16'd1;
        if (run_over && all_over) first_q <= (first_q + (run_q == 3'd0 ? 16'd1 : run_q)) % GROUPS;
      end
    end
  end

  reg             stepped_q, offered_q;
  reg [PLACE-1:0] went_q;

  always @(posedge clk_i) begin
    assume (rst_ni == started_q);
    assume (started_q || !load_i);
    assume (group_valid_i ? !exhausted_i : !offered_q); // a group that is offered is taken
    offered_q <= started_q && group_valid_i && !group_ready_o && loading_o;
    stepped_q <= rst_ni && (step_i || stepped_q);
    if (step_i) went_q <= walked;
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (!stepped_q || place_o == went_q);
    cover (step_i && again_q == 16'd1 && at_q == 16'd1 && holding_q == 16'd1);
    cover (step_i && first_q == GROUPS - 1 && run_q == 3'd0);
  end
