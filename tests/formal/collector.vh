// SPDX-License-Identifier: Apache-2.0
// Every group leaves a cluster's queue in its turn, from the bank that its turn says, however many are taken at once. One of the
// solver's choosing stands for all. Takes are as tulle_store_groups makes them: of one cluster, or of several whose groups are in
// banks behind each other.

  localparam INDEX = $clog2((CLUSTERS > 1) ? CLUSTERS : 2);
  localparam COUNT = $clog2(DEPTH) + 1;
  localparam BANK  = (TAKE > 1) ? $clog2(TAKE) : 1;

  (* anyconst *) wire [INDEX-1:0] which;  // the cluster
  (* anyseq *)   wire             choose;

  reg                follow_q;
  reg                left_q;      // the group was taken in the cycle before
  reg  [BANK-1:0]    from_q;
  reg  [COUNT-1:0]   held_q;      // groups of the cluster
  reg  [COUNT-1:0]   ahead_q;     // those before the chosen one
  reg  [PES*ACC-1:0] group_q;

  reg  [COUNT-1:0]   own_pops;
  reg                legal;
  reg                one_stream;
  reg  [BANK-1:0]    first_bank;
  integer            w, v;

  wire [BANK-1:0] from     = bank_o[which*BANK +: BANK] + ahead_q[BANK-1:0];
  wire            own_push = result_valid_i && result_ready_o && result_cluster_i == which; // a group is a beat
  wire            leaves     = follow_q && own_pops > ahead_q;

  always @* begin
    own_pops   = {COUNT{1'b0}};
    one_stream = 1'b1;
    legal      = |take_cluster_i[0 +: CLUSTERS];
    for (w = 0; w < TAKE; w = w + 1) begin
      own_pops = own_pops + {{COUNT-1{1'b0}}, take_i[w] && take_cluster_i[w*CLUSTERS + which]};
      if ((take_cluster_i[w*CLUSTERS +: CLUSTERS] & (take_cluster_i[w*CLUSTERS +: CLUSTERS] - 1'b1)) != {CLUSTERS{1'b0}}) legal = 1'b0;
      if (take_cluster_i[w*CLUSTERS +: CLUSTERS] != take_cluster_i[0 +: CLUSTERS]) one_stream = 1'b0;
      if (w != 0 && take_i[w] && !take_i[w-1]) legal = 1'b0;
      if (take_i[w] && take_cluster_i[w*CLUSTERS +: CLUSTERS] == {CLUSTERS{1'b0}}) legal = 1'b0;
    end
    first_bank = {BANK{1'b0}};
    for (v = 0; v < CLUSTERS; v = v + 1)
      if (take_cluster_i[v]) first_bank = first_bank | bank_o[v*BANK +: BANK];
    if (!one_stream)
      for (w = 1; w < TAKE; w = w + 1)
        for (v = 0; v < CLUSTERS; v = v + 1)
          if (take_cluster_i[w*CLUSTERS + v] && bank_o[v*BANK +: BANK] != first_bank + w[BANK-1:0]) legal = 1'b0;
  end

  always @(posedge clk_i) begin
    assume (which < CLUSTERS && result_cluster_i < CLUSTERS);
    assume (legal);
    for (w = 0; w < CLUSTERS; w = w + 1) // only what is there is taken
      for (v = 0; v < TAKE; v = v + 1)
        assume (!(take_i[v] && take_cluster_i[v*CLUSTERS + w]) || has_o[(one_stream ? v : 0)*CLUSTERS + w]);

    held_q   <= !rst_ni ? {COUNT{1'b0}} : held_q + {{COUNT-1{1'b0}}, own_push} - own_pops;
    follow_q <= rst_ni && ((own_push && choose && !follow_q) || (follow_q && !leaves));
    left_q   <= rst_ni && leaves;
    from_q   <= from;
    if (!follow_q) begin
      ahead_q <= held_q - own_pops;
      group_q <= result_data_i[0 +: PES*ACC];
    end else begin
      ahead_q <= ahead_q - own_pops;
    end
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    for (w = 0; w < TAKE; w = w + 1) assert (has_o[w*CLUSTERS + which] == (held_q > w));
    assert (held_q <= DEPTH);
    assert (!left_q || group_o[from_q*PES*ACC +: PES*ACC] == group_q);
    cover (left_q && from_q != {BANK{1'b0}} && group_q != {PES*ACC{1'b0}});
    cover (own_pops == TAKE);
  end
