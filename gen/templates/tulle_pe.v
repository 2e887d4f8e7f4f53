// SPDX-License-Identifier: Apache-2.0
//
// tulle_pe: a processing element (PE). It multiplies the weights of a segment by the activations that belong to
// them and adds the products up.
//
//   words -> weight queue -> scan -> index -> input buffer -> load queue -> multiplier -> closer -> output queue
//                              ^                                  |                         ^
//   issue -> issue ring -------+                                  +-> left neighbour        +- its products
//
// Queues between the parts let each part work at its own pace, and MACs follow each other without a gap. The issue
// ring lets the PEs of a cluster run at different speeds. With neighbour balancing, the left neighbour multiplies
// pairs for a PE that is late, and sends their sum back.
//
// Ports
//   issue_*              a MAC that the sequencer issues to all PEs of the cluster at the same time
//   weight_*             words of weights from the weight feeder
//   line_*               lines of activations for the input buffer
//   partial_*, given_i   partial sums, and results of the function unit, for the output queue
//   store_*              results on their way to the collector
//   help_*, move_*       pairs of the right neighbour, and pairs for the left one; return_* are their sums
//   chain_*, function_*  sums that go through the function unit
// ${generated}

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_params.vh"

module tulle_pe (
  input  wire		clk_i,
  input  wire		rst_ni,

  // A MAC. It is issued to all PEs together, when all of them are ready.
  input  wire		issue_start_i,
  input  wire	[`TULLE_INPUT_ADDR_WIDTH-1:0]	issue_address_i,	// the address of position 0
  input  wire	[`TULLE_INPUT_ADDR_WIDTH:0]	issue_wrap_i,
  input  wire	[`TULLE_INPUT_ADDR_WIDTH:0]	issue_base_i,	// address minus wrap
  input  wire	[`TULLE_OUTPUT_QUEUE_ADDR_WIDTH-1:0]	issue_result_i,
  input  wire	[1:0]	issue_age_i,	// 1, 2, 3: the MAC so many before it has the same result; 0: none has
  input  wire		issue_resume_i,	// the sum begins with the entry
  input  wire		issue_keep_i,
  input  wire		issue_chain_i,
  input  wire	[4:0]	issue_buffer_i,	// the function table of a chained MAC
  input  wire	[`TULLE_MAXIMUM:0]	issue_way_i,	// bit 0: its work may move to the neighbour; bit 1: it keeps the largest product
  input  wire		issue_advance_i,	// it is the last MAC that uses the segment at the head
//: if accumulators
  input  wire	[1:0]	issue_acc_i,	// its accumulation buffer
//: end
  input  wire		issue_rotate_i,	// that segment goes to the end of the queue
  output wire		issue_ready_o,

  // Words of weights
  input  wire		weight_begin_i,
  input  wire	[15:0]	weight_segments_i,
  input  wire		weight_take_i,
  input  wire	[`TULLE_WORD_WIDTH-1:0]	weight_word_i,
  input  wire		weight_end_i,
  output wire		weight_ready_o,
  output wire		weight_idle_o,

  // A line of activations
  input  wire		line_write_i,
  input  wire	[`TULLE_INPUT_LINE_ADDR_WIDTH-1:0]	line_i,
  input  wire	[`TULLE_LINE_WIDTH-1:0]	line_data_i,
  input  wire	[`TULLE_LINE_VALUES-1:0]	line_mask_i,	// with zero points the highest bits of the activations

  // A partial sum for the output queue. It comes only while the PE is idle.
  input  wire		partial_write_i,
//: if accumulators
  input  wire		partial_stays_i,	// it goes to accumulation buffer partial_acc_i instead
  input  wire	[1:0]	partial_acc_i,
//: end
  input  wire	[`TULLE_OUTPUT_QUEUE_ADDR_WIDTH-1:0]	partial_address_i,

  // A result of the output queue. It follows store_take_i by one cycle.
  input  wire		store_take_i,
  input  wire	[`TULLE_OUTPUT_QUEUE_ADDR_WIDTH-1:0]	store_address_i,
  output wire	[`TULLE_ACC_WIDTH-1:0]	store_o,

  // Progress
//: if reduces_beside
  input  wire		stop_i,	// no MAC is closed; then partial sums may come while still_o
  output wire		still_o,
//: end
  output wire		closed_o,	// one cycle for each MAC that is complete, in order
  output wire		idle_o,
  output wire		starved_o,	// the PE waits for a MAC or for weights

//: if ring
  // Pairs of the right neighbour that this PE multiplies
  input  wire		help_valid_i,
  input  wire	[`TULLE_MOVE_WIDTH-1:0]	help_load_i,
  output wire		return_valid_o,
  output wire	[`TULLE_RETURN_WIDTH-1:0]	return_o,
  output wire		ended_o,	// one cycle for each MAC whose pairs of this PE are multiplied
  output wire		hungry_o,

  // Pairs for the left neighbour, which helps
  output wire		move_valid_o,
  output wire	[`TULLE_MOVE_WIDTH-1:0]	move_load_o,
  input  wire		return_valid_i,
  input  wire	[`TULLE_RETURN_WIDTH-1:0]	return_i,
  input  wire		helper_ended_i,
  input  wire		helper_hungry_i,

//: end
  // The cluster's function unit
  output wire		chain_valid_o,
  output wire	[`TULLE_ACC_WIDTH-1:0]	chain_o,
  input  wire		chain_shift_i,
  output wire	[4:0]	chain_buffer_o,
  input  wire		function_valid_i,

  // A result of the function unit, or a partial sum
  input  wire	[`TULLE_ACC_WIDTH-1:0]	given_i,

  output wire		error_o,
  output wire		stuck_o,	// a position is outside the input buffer, so that its MAC never ends
  output wire	[`TULLE_PE_COUNTS_WIDTH-1:0]	counts_o,	// events of this cycle: see the assignment below
  output wire	[1:0]	error_kind_o	// 0 packet_length, 1 bad_escape, 2 no_feature, 3 bad_field
);

  // -- Sizes

  localparam SCAN	= `TULLE_SCAN;
  localparam BUFFER_WIDTH	= `TULLE_BUFFER_ID_WIDTH;
  localparam DATA_WIDTH	= `TULLE_DATA_WIDTH;
  localparam ACTIVATION_WIDTH	= `TULLE_ACTIVATION_WIDTH;
  localparam INDEX_WIDTH	= `TULLE_INDEX_WIDTH;
  localparam ACC_WIDTH	= `TULLE_ACC_WIDTH;
  localparam SUM_WIDTH	= `TULLE_SUM_WIDTH;
  localparam MAXIMUM	= `TULLE_MAXIMUM;
  localparam WAY_WIDTH	= MAXIMUM + 1;
  localparam ADDRESS_WIDTH	= `TULLE_INPUT_ADDR_WIDTH;
  localparam ENTRIES	= `TULLE_OUTPUT_QUEUE_DEPTH;
  localparam ENTRY_WIDTH	= `TULLE_OUTPUT_QUEUE_ADDR_WIDTH;
  localparam WORDS	= `TULLE_WEIGHT_WORDS;
  localparam WORD_ADDRESS_WIDTH	= `TULLE_WORD_ADDRESS_WIDTH;
  localparam MOVE_WIDTH	= `TULLE_MOVE_WIDTH;
  localparam RETURN_WIDTH	= `TULLE_RETURN_WIDTH;
  localparam ISSUE_SCAN_WIDTH	= ADDRESS_WIDTH + 2 * (ADDRESS_WIDTH + 1) + WAY_WIDTH + 2;	// address, wrap, base, way, two flags
  localparam ACCUMULATORS	= `TULLE_ACCUMULATORS;
  localparam ISSUE_CLOSE_WIDTH	= 2 * ACCUMULATORS + ENTRY_WIDTH + 5 + BUFFER_WIDTH;	// (with accumulators) their number, result, age, resume, two flags, buffer

//: if ring
  wire		help_valid = help_valid_i;
  wire	[MOVE_WIDTH-1:0]	help_load = help_load_i;
  wire		return_valid;
  wire	[RETURN_WIDTH-1:0]	return_sum;
  wire		back_valid = return_valid_i;
  wire	[RETURN_WIDTH-1:0]	back = return_i;

//: else
  wire		help_valid = 1'b0;
  wire	[MOVE_WIDTH-1:0]	help_load = {MOVE_WIDTH{1'b0}};
  wire		return_valid;
  wire	[RETURN_WIDTH-1:0]	return_sum;
  wire		back_valid = 1'b0;
  wire	[RETURN_WIDTH-1:0]	back = {RETURN_WIDTH{1'b0}};

//: end
  // -- Issued MACs

  wire		mac_valid;
  wire		mac_done;
  wire	[ADDRESS_WIDTH-1:0]	mac_address;
  wire	[ADDRESS_WIDTH:0]	mac_wrap;
  wire	[ADDRESS_WIDTH:0]	mac_base;
  wire	[WAY_WIDTH-1:0]	mac_way;
  wire		mac_advance;
  wire		mac_rotate;
  wire	[ENTRY_WIDTH-1:0]	close_result;
  wire	[1:0]	close_age;
  wire		close_resume;
  wire		close_keep;
  wire		close_chain;
  wire	[BUFFER_WIDTH-1:0]	close_buffer;
  wire	[5:0]	close_buffer6 = {{6-BUFFER_WIDTH{1'b0}}, close_buffer};
  wire		unused_buffer = &{1'b0, issue_buffer_i, close_buffer6};
  wire		close_take;
  wire		issue_idle;
  wire	[1:0]	close_acc;
//: if accumulators
  wire	[1:0]	partial_acc = partial_acc_i;
  wire		partial_stays = partial_stays_i;
//: else
  wire	[1:0]	partial_acc = 2'd0;
  wire		partial_stays = 1'b0;

  assign close_acc = 2'd0;
//: end

  tulle_issue_ring #(
    .SCAN_WIDTH	(ISSUE_SCAN_WIDTH),
    .CLOSE_WIDTH	(ISSUE_CLOSE_WIDTH),
    .DEPTH	(`TULLE_ISSUE_QUEUE_DEPTH),
    .PLACES	(`TULLE_MACS),
    .SLACK	(`TULLE_MAC_SLACK)
  ) u_issue_ring (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .start_i	(issue_start_i),
    .scan_i	({issue_address_i, issue_wrap_i, issue_base_i, issue_way_i, issue_advance_i, issue_rotate_i}),
//: if accumulators
    .close_i	({issue_acc_i, issue_result_i, issue_age_i, issue_resume_i, issue_keep_i, issue_chain_i, issue_buffer_i[BUFFER_WIDTH-1:0]}),
    .close_o	({close_acc, close_result, close_age, close_resume, close_keep, close_chain, close_buffer}),
//: else
    .close_i	({issue_result_i, issue_age_i, issue_resume_i, issue_keep_i, issue_chain_i, issue_buffer_i[BUFFER_WIDTH-1:0]}),
    .close_o	({close_result, close_age, close_resume, close_keep, close_chain, close_buffer}),
//: end
    .ready_o	(issue_ready_o),
    .scan_valid_o	(mac_valid),
    .scan_o	({mac_address, mac_wrap, mac_base, mac_way, mac_advance, mac_rotate}),
    .scan_done_i	(mac_done),
    .close_take_i	(close_take),
    .close_done_i	(closed_o),
    .idle_o	(issue_idle)
  );

  // -- Weights

  wire		head_valid;
  wire		head_empty;
  wire		head_around;
  wire	[WORD_ADDRESS_WIDTH-1:0]	head_end_word;
  wire	[`TULLE_LANE_WIDTH-1:0]	head_end_lane;
  wire		pop;
  wire		release_word;
  wire		read;
  wire	[WORD_ADDRESS_WIDTH-1:0]	read_word;
  wire	[`TULLE_WORD_WIDTH-1:0]	word;
  wire	[SCAN-1:0]	word_moves;
  wire	[SCAN-1:0]	word_weights;
  wire		stream_error;
  wire	[15:0]	stream_code;

  tulle_weight_queue #(
    .DATA_WIDTH	(DATA_WIDTH),
    .INDEX_WIDTH	(INDEX_WIDTH),
    .SCAN	(SCAN),
    .WORDS	(WORDS),
    .SEGMENTS	(`TULLE_SEGMENT_QUEUE_DEPTH),
    .LONG_JUMPS	(`TULLE_LONG_JUMPS)
  ) u_weight_queue (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .begin_i	(weight_begin_i),
    .segments_i	(weight_segments_i),
    .take_i	(weight_take_i),
    .word_i	(weight_word_i),
    .end_i	(weight_end_i),
    .ready_o	(weight_ready_o),
    .idle_o	(weight_idle_o),
    .head_valid_o	(head_valid),
    .head_empty_o	(head_empty),
    .head_around_o	(head_around),
    .head_end_word_o	(head_end_word),
    .head_end_lane_o	(head_end_lane),
    .pop_i	(pop),
    .release_i	(release_word),
    .rotate_i	(mac_valid && mac_rotate),
    .read_i	(read),
    .read_word_i	(read_word),
    .word_o	(word),
    .moves_o	(word_moves),
    .weights_o	(word_weights),
    .error_o	(stream_error),
    .error_code_o	(stream_code)
  );

  wire		credit;
  reg		stuck_q;
  wire		scan_first;
  wire		scan_end;
  wire	[SCAN-1:0]	scan_lanes;

  tulle_scan #(
    .SCAN	(SCAN),
    .WORDS	(WORDS)
  ) u_scan (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .mac_valid_i	(mac_valid),
    .mac_advance_i	(mac_advance),
    .mac_rotate_i	(mac_rotate),
    .mac_done_o	(mac_done),
    .head_valid_i	(head_valid),
    .head_empty_i	(head_empty),
    .head_around_i	(head_around),
    .head_end_word_i	(head_end_word),
    .head_end_lane_i	(head_end_lane),
    .pop_o	(pop),
    .release_o	(release_word),
    .credit_i	(credit && !stuck_q),
    .read_o	(read),
    .word_o	(read_word),
    .first_o	(scan_first),
    .end_o	(scan_end),
    .lanes_o	(scan_lanes)
  );

  // -- Activations that belong to the weights

  wire		lookup;
  wire	[SCAN*ADDRESS_WIDTH-1:0]	lookup_address;
  wire	[SCAN*ACTIVATION_WIDTH-1:0]	activations;
  wire	[SCAN-1:0]	mask;
  wire		found;
  wire		found_end;
  wire	[WAY_WIDTH-1:0]	found_way;
  wire	[SCAN-1:0]	found_weights;
  wire	[SCAN-1:0]	found_factors;
  wire	[SCAN*DATA_WIDTH-1:0]	found_values;
  wire		outside;

  tulle_index #(
    .DATA_WIDTH	(DATA_WIDTH),
    .INDEX_WIDTH	(INDEX_WIDTH),
    .SCAN	(SCAN),
    .DEPTH	(`TULLE_INPUT_BUFFER_DEPTH),
    .TAG	(WAY_WIDTH),
    .LONG_JUMPS	(`TULLE_LONG_JUMPS),
    .PASS_ZEROS	(`TULLE_PLAIN_WEIGHTS)
  ) u_index (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .valid_i	(read),
    .first_i	(scan_first),
    .end_i	(scan_end),
    .lanes_i	(scan_lanes),
    .tag_i	(mac_way),
    .address_i	(mac_address),
    .wrap_i	(mac_wrap),
    .base_i	(mac_base),
    .word_i	(word),
    .moves_i	(word_moves),
    .weights_i	(word_weights),
    .read_o	(lookup),
    .address_o	(lookup_address),
    .valid_o	(found),
    .end_o	(found_end),
    .tag_o	(found_way),
    .weights_o	(found_weights),
    .values_o	(found_values),
    .factors_o	(found_factors),
    .error_o	(outside)
  );

  tulle_input_buffer #(
    .DATA_WIDTH	(DATA_WIDTH),
    .LINE	(`TULLE_LINE_VALUES),
    .LINES	(`TULLE_INPUT_LINES),
    .COPIES	(SCAN),
    .ZERO_POINTS	(`TULLE_ZERO_POINTS)
  ) u_input_buffer (
    .clk_i	(clk_i),
    .write_i	(line_write_i),
    .line_i	(line_i),
    .data_i	(line_data_i),
    .mask_i	(line_mask_i),
    .read_i	(lookup),
    .address_i	(lookup_address),
    .data_o	(activations),
    .mask_o	(mask)
  );

  // -- Effective loads

  wire		own_valid;
  wire		own_ready;
  wire		own_load;
  wire		own_end;
  wire		own_maximum;
  wire	[DATA_WIDTH+ACTIVATION_WIDTH-1:0]	own;
  wire		move_want;
  wire		move_now;
  wire	[DATA_WIDTH+ACTIVATION_WIDTH-1:0]	move_pair;
  wire		loads_empty;

  tulle_load_queue #(
    .DATA_WIDTH	(DATA_WIDTH),
    .ACTIVATION_WIDTH	(ACTIVATION_WIDTH),
    .SCAN	(SCAN),
    .DEPTH	(`TULLE_LOAD_QUEUE_DEPTH),
    .FLIGHT	(`TULLE_SCAN_STAGES),
    .MAXIMUM	(MAXIMUM)
  ) u_load_queue (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .reserve_i	(read),
    .credit_o	(credit),
    .valid_i	(found && !stuck_q),	// after a position outside the input buffer nothing follows
    .end_i	(found_end),
    .move_i	(found_way[0]),
    .maximum_i	(MAXIMUM != 0 && found_way[MAXIMUM]),
    .effective_i	(found_factors & mask),
    .values_i	(found_values),
    .activations_i	(activations),
    .own_valid_o	(own_valid),
    .own_ready_i	(own_ready),
    .own_load_o	(own_load),
    .own_end_o	(own_end),
    .own_maximum_o	(own_maximum),
    .own_o	(own),
    .move_want_i	(move_want),
    .move_valid_o	(move_now),
    .move_o	(move_pair),
    .empty_o	(loads_empty)
  );

  // -- Products and their sums

  wire		sum_valid;
  wire	[SUM_WIDTH-1:0]	sum;
  wire		sum_maximum;
  wire		sum_room;
  wire		mac_ended;

  tulle_multiplier #(
    .DATA_WIDTH	(DATA_WIDTH),
    .ACTIVATION_WIDTH	(ACTIVATION_WIDTH),
    .SUM_WIDTH	(SUM_WIDTH),
    .MAXIMUM	(MAXIMUM)
  ) u_multiplier (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .own_valid_i	(own_valid),
    .own_ready_o	(own_ready),
    .own_load_i	(own_load),
    .own_end_i	(own_end),
    .own_i	(own),
    .own_maximum_i	(own_maximum),
    .room_i	(sum_room),
    .help_valid_i	(help_valid),
    .help_i	(help_load),
    .return_valid_o	(return_valid),
    .return_o	(return_sum),
    .sum_valid_o	(sum_valid),
    .sum_o	(sum),
    .sum_maximum_o	(sum_maximum),
    .ended_o	(mac_ended)
  );

  // -- Closing a MAC

  wire	[ENTRY_WIDTH-1:0]	read_address;
  wire	[ACC_WIDTH-1:0]	read_entry;
  wire		read_result;
  wire		write;
  wire	[ENTRY_WIDTH-1:0]	write_address;
  wire	[ACC_WIDTH-1:0]	write_entry;
  wire		closer_empty;
  wire		may_move;
  wire		move_tag;
  wire		move_first;
  wire		still;
//: if reduces_beside
  wire		stop = stop_i;

  assign still_o = still;
//: else
  wire		stop = 1'b0;

  wire unused_still = &{1'b0, still};
//: end

  tulle_closer #(
    .SUM_WIDTH	(SUM_WIDTH),
    .ACC_WIDTH	(ACC_WIDTH),
    .DEPTH	(ENTRIES),
    .SUMS	(8),
    .MOVE	(`TULLE_RING),
    .CHAIN	(1),
    .MAXIMUM	(`TULLE_MAXIMUM_WIDTH),
    .ACCUMULATORS	(ACCUMULATORS)
  ) u_closer (
    .clk_i	(clk_i),
    .rst_ni	(rst_ni),
    .split_end_i	(mac_ended),
    .room_o	(sum_room),
    .moved_i	(move_now),
    .may_move_o	(may_move),
    .move_tag_o	(move_tag),
    .move_first_o	(move_first),
    .return_valid_i	(back_valid),
    .return_i	(back),
    .sum_valid_i	(sum_valid),
    .sum_i	(sum),
    .sum_maximum_i	(sum_maximum),
    .result_i	(close_result),
    .age_i	(close_age),
    .resume_i	(close_resume),
    .keep_i	(close_keep),
    .chain_i	(close_chain),
    .buffer_i	(close_buffer6[4:0]),
    .acc_i	(close_acc),
    .take_o	(close_take),
    .chain_valid_o	(chain_valid_o),
    .chain_o	(chain_o),
    .chain_buffer_o	(chain_buffer_o),
    .chain_shift_i	(chain_shift_i),
    .function_valid_i	(function_valid_i),
    .partial_write_i	(partial_write_i),
    .partial_address_i	(partial_address_i),
    .partial_stays_i	(partial_stays),
    .partial_acc_i	(partial_acc),
    .given_i	(given_i),
    .read_o	(read_result),
    .read_address_o	(read_address),
    .read_busy_i	(store_take_i),
    .read_i	(read_entry),
    .write_o	(write),
    .write_address_o	(write_address),
    .write_data_o	(write_entry),
    .stop_i	(stop),
    .still_o	(still),
    .closed_o	(closed_o),
    .empty_o	(closer_empty)
  );

  // -- Output queue

  tulle_block_ram #(
    .WIDTH	(ACC_WIDTH),
    .DEPTH	(ENTRIES)
  ) u_output_queue (
    .clk_i	(clk_i),
    .we_i	(write),
    .waddr_i	(write_address),
    .wdata_i	(write_entry),
    .re_i	(store_take_i || read_result),
    .raddr_i	(store_take_i ? store_address_i : read_address),
    .rdata_o	(read_entry)
  );

  assign store_o = read_entry;

//: if ring
  // -- Neighbours

  localparam LEAD_WIDTH	= $clog2(`TULLE_MACS) + 1;

  reg		want_q;
  reg		move_q;
  reg	[MOVE_WIDTH-1:0]	move_load_q;
  reg		ended_q;
  reg	[LEAD_WIDTH-1:0]	lead_q;	// MACs by which the helper is ahead of this PE
  reg		hungry_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      want_q     <= 1'b0;
      move_q     <= 1'b0;
      ended_q    <= 1'b0;
      lead_q     <= {LEAD_WIDTH{1'b0}};
      hungry_q   <= 1'b0;
    end else begin
      want_q     <= may_move && (helper_hungry_i || (!lead_q[LEAD_WIDTH-1] && lead_q != {LEAD_WIDTH{1'b0}}));
      move_q     <= move_now;
      ended_q    <= mac_ended;
      hungry_q   <= !mac_valid && loads_empty;
      if (helper_ended_i != mac_ended) lead_q <= lead_q + {{LEAD_WIDTH-1{mac_ended}}, 1'b1};
    end
  end

  always @(posedge clk_i) begin
    move_load_q <= {move_tag, move_first, move_pair};
  end

  assign return_valid_o = return_valid;
  assign return_o       = return_sum;
  assign ended_o        = ended_q;
  assign hungry_o       = hungry_q;
  assign move_want      = want_q && may_move;
  assign move_valid_o   = move_q;
  assign move_load_o    = move_load_q;

//: else
  // -- No neighbours

  assign move_want = 1'b0;

  wire unused_ring = &{1'b0, return_valid, return_sum, move_now, move_pair, may_move, move_tag, move_first};

//: end
  // -- Errors and rest

  // Errors are found late in a cycle, so they go through registers.
  reg		error_q;
  reg	[1:0]	kind_q;

  always @(posedge clk_i) begin
    error_q <= rst_ni && stream_error;
    kind_q  <= stream_code == `TULLE_STATUS_BAD_ESCAPE ? 2'd1 :
               stream_code == `TULLE_STATUS_NO_FEATURE ? 2'd2 :
               stream_code == `TULLE_STATUS_BAD_FIELD  ? 2'd3 :
                                                         2'd0;
  end

  assign error_o      = error_q;
  assign error_kind_o = kind_q;
  assign stuck_o      = stuck_q;

  always @(posedge clk_i) stuck_q <= rst_ni && (stuck_q || outside);

  // From the highest bit on: no MAC is issued; the weights of the MAC have not come; a pair of the neighbour is
  // multiplied; the weights that were looked at, a bit each; a pair is multiplied.
  assign counts_o = {!mac_valid, mac_valid && !head_valid, help_valid, found_weights,
                     help_valid || (own_valid && own_ready && own_load)};

  assign idle_o    = issue_idle;
  assign starved_o = !(mac_valid && head_valid) && loads_empty && closer_empty;

endmodule

`default_nettype wire
