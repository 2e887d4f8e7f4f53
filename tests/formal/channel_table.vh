// SPDX-License-Identifier: Apache-2.0
// The groups of a column go to the places from the first one on, and take the cycles that the header says. A
// bit of a channel of the solver's choosing is read as it was last loaded; that of
// a multiplier as it is with the shift that was there before it.

  localparam CHUNKS = (PES + LANES - 1) / LANES;
  localparam TURNS  = LANES + 2; // of a chunk of multipliers
  localparam DIGITS = PLACE - $clog2(GROUPS);

  (* anyconst *) wire [15:0] group; // the channel
  (* anyconst *) wire [7:0]  pe;
  (* anyconst *) wire [5:0]  bit_of;
  wire [7:0]       part  = pe / LANES;
  wire [7:0]       lane  = pe % LANES;
  wire [PLACE-1:0] place = (group << DIGITS) | part;

  // -- Columns ------------------------------------------------------------------------------------------------------

  reg         loading_q;
  reg  [2:0]  column_q;
  reg  [15:0] to_q, to_part_q, turn_q;
  reg         offered_q;
  reg  [PES*ACC-1:0] offer_q;
  wire        by_turns = column_q == `TULLE_COLUMN_MULTIPLIER || column_q == `TULLE_COLUMN_LOOKUP;
  wire        writes = loading_q && group_valid_i;
  wire        ends   = writes && (!by_turns || turn_q == TURNS - 1);
  wire        last   = to_part_q == CHUNKS - 1;
  wire        mine   = ends && to_q == group && to_part_q == part;
  wire [ACC-1:0] value = group_i >> (pe * ACC);

  always @(posedge clk_i) begin
    assume (group < GROUPS && pe < PES);
    assume (rst_ni == started_q); // one reset, since what it interrupts is in part loaded
    assume (started_q || !(load_i || step_i || late_i || group_valid_i));
    assume (column_i >= `TULLE_COLUMN_BIAS && column_i <= (LOOKUP != 0 ? `TULLE_COLUMN_LOOKUP : `TULLE_COLUMN_HIGH));
    assume (!(exhausted_i && group_valid_i));
    assume (!offered_q || !loading_q || (group_valid_i && group_i == offer_q));
    offered_q <= rst_ni && group_valid_i && !group_ready_o && loading_q;
    offer_q   <= group_i;
    if (!rst_ni)                       loading_q <= 1'b0;
    else if (load_i)                   loading_q <= 1'b1;
    else if (loading_q && exhausted_i) loading_q <= 1'b0;
    if (load_i) begin
      column_q  <= column_i;
      to_q      <= first_i % GROUPS;
      to_part_q <= 16'd0;
      turn_q    <= 16'd0;
    end else if (ends) begin
      to_q      <= last ? (to_q + 16'd1) % GROUPS : to_q;
      to_part_q <= last ? 16'd0 : to_part_q + 16'd1;
      turn_q    <= 16'd0;
    end else if (writes) begin
      turn_q    <= turn_q + 16'd1;
    end
  end

  // -- What the channel holds ---------------------------------------------------------------------------------------

  reg         bias_there_q, shift_there_q, factor_there_q, low_there_q, high_there_q;
  reg         bias_q, factor_q, low_q, high_q;
  reg  [5:0]  held_q;
  wire signed [ACC-1:0] whole      = value;
  wire signed [31:0]    multiplier = whole;      // the lower 32 bits, or all of them
  wire signed [46:0]    longest    = multiplier;
  wire        [46:0]    shifted    = longest << (4'd15 - held_q[3:0]);

  initial {bias_there_q, shift_there_q, factor_there_q, low_there_q, high_there_q} = 5'd0;

  always @(posedge clk_i) begin
    assume (bit_of < 47);
    if (mine) case (column_q)
      `TULLE_COLUMN_BIAS: begin
        bias_there_q <= 1'b1;
        bias_q       <= value >> bit_of;
      end
      `TULLE_COLUMN_SHIFT: begin
        shift_there_q <= 1'b1;
        held_q        <= value[5:0];
      end
      `TULLE_COLUMN_MULTIPLIER: begin
        factor_there_q <= shift_there_q;
        factor_q       <= shifted >> bit_of;
      end
      `TULLE_COLUMN_LOW: begin
        low_there_q <= 1'b1;
        low_q       <= value[15:0] >> bit_of;
      end
      `TULLE_COLUMN_HIGH: begin
        high_there_q <= 1'b1;
        high_q       <= value[15:0] >> bit_of;
      end
      default: ; // of the lookup: nothing here changes
    endcase
  end

  // -- What is read -------------------------------------------------------------------------------------------------

  reg             early_bias_q, early_factor_q, seen_bias_q, seen_factor_q; // early: if it was the channel's place
  reg             late_shift_q, late_low_q, late_high_q, seen_low_q, seen_high_q;
  reg [5:0]       seen_shift_q;

  initial {early_bias_q, early_factor_q, late_shift_q, late_low_q, late_high_q} = 5'd0;

  always @(posedge clk_i) begin
    if (step_i) begin
      early_bias_q   <= bias_there_q && bit_of < ACC;
      early_factor_q <= factor_there_q;
      seen_bias_q    <= bias_q;
      seen_factor_q  <= factor_q;
    end
    if (late_i) begin
      late_shift_q <= late_place_i == place && shift_there_q;
      late_low_q   <= late_place_i == place && low_there_q && bit_of < 16;
      late_high_q  <= late_place_i == place && high_there_q && bit_of < 16;
      seen_shift_q <= held_q;
      seen_low_q   <= low_q;
      seen_high_q  <= high_q;
    end else if (loading_q) begin
      late_shift_q <= 1'b0; // multipliers read shifts, too
    end
  end

  wire [ACC-1:0] own_bias   = bias_o >> (lane * ACC);
  wire [46:0]    own_factor = factor_o >> (lane * 47);
  wire [5:0]     own_shift  = shift_o >> (lane * 6);
  wire [15:0]    own_low    = low_o >> (lane * 16);
  wire [15:0]    own_high   = high_o >> (lane * 16);

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (loading_o == loading_q);
    assert (group_ready_o == (ends && last));
    assert (!early_bias_q || place_o != place || own_bias[bit_of] == seen_bias_q);
    assert (!early_factor_q || place_o != place || own_factor[bit_of] == seen_factor_q);
    assert (!late_shift_q || own_shift == seen_shift_q);
    assert (!late_low_q || own_low[bit_of] == seen_low_q);
    assert (!late_high_q || own_high[bit_of] == seen_high_q);
    cover (place_o == place && early_bias_q && early_factor_q && seen_bias_q && seen_factor_q);
    cover (late_low_q && late_high_q && late_shift_q && held_q == 6'd20);
  end
