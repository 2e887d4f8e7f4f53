// SPDX-License-Identifier: Apache-2.0
//
// tulle_distribution_unit: reads packets from a row's storage unit and sends them over the row bus.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   op_valid_i, op_ready_o        a packet to send: runs of beats
//   op_id_i                       returned with finish_o
//   op_place_i                    the operation's place in the program
//   op_clusters_i, op_command_i,  side-band signals of the packet
//   op_count_i, op_scatter_i
//   op_dispatch_i                 send the packet to one of the clusters: the least loaded with DISPATCH, or else the
//                                 first
//   backlogs_i                    the backlog of each cluster, for DISPATCH
//   op_address_i                  beat address in the storage unit
//   op_beats_i, op_runs_i         beats of a run, 0 for a packet without data; runs, at least 1
//   op_pitch_i                    beats from run to run, modulo the unit's size
//   op_plain_i                    with PLAIN: the bytes read are weights, each of which becomes an entry of two bytes
//   op_segment_i, op_segments_i   then: weights of a segment, at least ENTRIES, and segments of each PE; with BITMAP, 0
//                                 segments: a bitmap, whose segments have op_segment_i masks
//   enable_o, read_o, address_o,  port of the storage unit: data arrive two cycles with enable_o after the read
//   data_i
//   packet_*                      the row's packet port; packet_tag_o identifies a packet of the row. Bit 7 of the command
//                                 and scatter are together: 0 config, 1 exec without data, 2 exec, 3 exec scattered
//   finish_o, finish_id_o         one cycle: the packet's last beat was taken
//   error_tag_i, error_place_o    op_place_i of the packet with this tag, in the next cycle
//   idle_o                        no packet is waiting or being sent
//
// Parameters
//   BUS                           bits of the row bus
//   CLUSTERS                      of the row
//   DISPATCH                      1: op_dispatch_i uses backlogs_i; 0: it does not
//   BACKLOG                       bits of a cluster's backlog
//   PLAIN                         1: there are plain packets; 0: op_plain_i is ignored
//   BITMAP                        with PLAIN: most masks of a segment of a bitmap, a power of two; 0: there are none
//   PES, ENTRIES                  with PLAIN: PEs of a cluster, and entries of each in a beat of weights
//   ADDRESS                       bits of a beat address
//   ID                            bits of op_id_i
//   PLACE                         bits of op_place_i
//   TAG                           bits of a tag; fewer than 2^TAG packets may be unfinished in the clusters
//
// Latency: an idle unit needs four cycles from an operation to the first beat at the packet port. Then a beat is sent
// every cycle, also from one packet to the next. One packet waits while another is sent. Finding the least loaded
// cluster takes CLUSTERS + 1 cycles, during which the last packet is sent. enable_o depends on packet_ready_i in the
// same cycle. Of a plain packet every beat read is sent as two: the lower half first. With BITMAP a beat takes two cycles
// more.

`default_nettype none

`include "tulle_isa.vh"

module tulle_distribution_unit #(
  parameter BUS      = 256,
  parameter CLUSTERS = 2,
  parameter DISPATCH = 0,
  parameter BACKLOG  = 6,
  parameter PLAIN    = 0,
  parameter BITMAP   = 0,
  parameter PES      = 8,
  parameter ENTRIES  = 2,
  parameter ADDRESS  = 12,
  parameter ID       = 3,
  parameter PLACE    = 26,
  parameter TAG      = 6
) (
  input  wire                clk_i,
  input  wire                rst_ni,

  input  wire                op_valid_i,
  output wire                op_ready_o,
  input  wire [ID-1:0]       op_id_i,
  input  wire [PLACE-1:0]    op_place_i,
  input  wire [CLUSTERS-1:0] op_clusters_i,
  input  wire                op_dispatch_i,
  input  wire [7:0]          op_command_i,
  input  wire [15:0]         op_count_i,
  input  wire                op_scatter_i,
  input  wire [ADDRESS-1:0]  op_address_i,
  input  wire [ADDRESS:0]    op_beats_i,
  input  wire [15:0]         op_runs_i,
  input  wire [ADDRESS-1:0]  op_pitch_i,
  input  wire                op_plain_i,
  input  wire [15:0]         op_segment_i,
  input  wire [15:0]         op_segments_i,

  input  wire [CLUSTERS*BACKLOG-1:0] backlogs_i,

  output wire                enable_o,
  output wire                read_o,
  output wire [ADDRESS-1:0]  address_o,
  input  wire [BUS-1:0]      data_i,

  output wire                packet_valid_o,
  input  wire                packet_ready_i,
  output wire [BUS-1:0]      packet_data_o,
  output wire [CLUSTERS-1:0] packet_clusters_o,
  output wire [7:0]          packet_command_o,
  output wire [15:0]         packet_count_o,
  output wire                packet_scatter_o,
  output wire                packet_last_o,
  output wire [TAG-1:0]      packet_tag_o,

  output wire                finish_o,
  output wire [ID-1:0]       finish_id_o,

  input  wire [TAG-1:0]      error_tag_i,
  output wire [PLACE-1:0]    error_place_o,

  output wire                idle_o
);

  localparam SIDE = CLUSTERS + 8 + 16 + 1 + TAG + ID;

  // -- The waiting packet ----------------------------------------------------------------------------------

  wire                wait_valid;
  wire                begin_op;
  wire                wait_dispatch;
  wire [ID-1:0]       wait_id;
  wire [PLACE-1:0]    wait_place;
  wire [CLUSTERS-1:0] wait_clusters;
  wire [7:0]          wait_command;
  wire [15:0]         wait_count;
  wire                wait_scatter;
  wire [ADDRESS-1:0]  wait_address;
  wire [ADDRESS:0]    wait_beats;
  wire [15:0]         wait_runs;
  wire [ADDRESS-1:0]  wait_pitch;

  tulle_fifo #(
    .WIDTH (1 + ID + PLACE + CLUSTERS + 8 + 16 + 1 + 3 * ADDRESS + 1 + 16),
    .DEPTH (1)
  ) u_ops (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (op_valid_i),
    .ready_o (op_ready_o),
    .data_i  ({op_dispatch_i, op_id_i, op_place_i, op_clusters_i, op_command_i, op_count_i, op_scatter_i, op_address_i,
               op_beats_i, op_runs_i, op_pitch_i}),
    .valid_o (wait_valid),
    .ready_i (begin_op),
    .data_o  ({wait_dispatch, wait_id, wait_place, wait_clusters, wait_command, wait_count, wait_scatter, wait_address,
               wait_beats, wait_runs, wait_pitch})
  );

  // A packet without data takes a beat, too, whose data are old. Clusters are told by the four values of two bits, so the
  // row bus needs no bit more. There is no value for a configuration without data: a reserved bit makes it illegal.
  wire       wait_exec    = wait_command[`TULLE_EXEC_KIND];
  wire       wait_empty   = wait_beats == {ADDRESS+1{1'b0}};
  wire       sent_scatter = wait_exec && (wait_empty || wait_scatter);
  wire [7:0] sent_command = {wait_exec && !wait_empty, wait_command[6], wait_command[5] || (!wait_exec && wait_empty),
                             wait_command[4:0]};

  // -- Its clusters --------------------------------------------------------------------------------------

  wire [CLUSTERS-1:0] clusters;
  wire                chosen; // the clusters are known

  generate
    if (DISPATCH != 0) begin : gen_least_loaded
      wire                known;
      wire [CLUSTERS-1:0] least;

      tulle_least_loaded #(
        .PORTS (CLUSTERS),
        .WIDTH (BACKLOG)
      ) u_least_loaded (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .ask_i     (wait_valid && wait_dispatch),
        .mask_i    (wait_clusters),
        .loads_i   (backlogs_i),
        .sent_i    (begin_op),
        .sent_to_i (clusters),
        .valid_o   (known),
        .which_o   (least)
      );

      assign clusters = wait_dispatch ? least : wait_clusters;
      assign chosen   = !wait_dispatch || known;
    end else begin : gen_first
      assign clusters = wait_clusters & (~wait_clusters + 1'b1 | {CLUSTERS{!wait_dispatch}});
      assign chosen   = 1'b1;

      wire unused_backlogs = &{1'b0, backlogs_i};
    end
  endgenerate

  // -- Reading: a beat is at the packet port two cycles after it was read; all stages stop until it is taken ------

  reg                busy_q;
  reg                empty_q;  // the packet has no data
  reg [ADDRESS-1:0]  run_q;    // where the next run begins
  reg [ADDRESS-1:0]  address_q;
  reg [ADDRESS-1:0]  pitch_q;
  reg [ADDRESS:0]    beats_q;      // beats of a run
  reg [ADDRESS:0]    beats_left_q; // beats left of this run
  reg [15:0]         runs_q;       // runs left, including this one
  reg [SIDE-1:0]     side_q;
  reg [TAG-1:0]      tag_q;    // tag of the next packet
  reg [1:0]          step_q;   // beats in the two stages of the read
  reg [1:0]          last_q;
  reg [SIDE-1:0]     side_first_q;
  reg [SIDE-1:0]     side_second_q;

  wire beat_first; // the beat at address_q is read now
  wire beat_over;  // and needed no longer

  wire read_taken; // the beat of the second stage goes on

  wire move     = !step_q[1] || read_taken;
  wire step     = busy_q && move;
  wire run_end  = beats_left_q <= {{ADDRESS{1'b0}}, 1'b1} && beat_over;
  wire op_end   = (run_end && runs_q == 16'd1) || empty_q;
  wire finished = step && op_end;

  // Where the run after the next one begins, for a packet that begins or for the current one.
  wire [ADDRESS-1:0] run_from = begin_op ? wait_address : run_q;
  wire [ADDRESS-1:0] run_by   = begin_op ? wait_pitch : pitch_q;
  wire [ADDRESS-1:0] run_d    = run_from + run_by;

  assign begin_op = wait_valid && chosen && (!busy_q || finished);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {busy_q, step_q} <= 3'd0;
      tag_q  <= {TAG{1'b0}};
    end else begin
      busy_q <= begin_op || (busy_q && !finished);
      if (move) step_q <= {step_q[0], step};
      if (begin_op) tag_q <= tag_q + 1'b1;
    end
  end

  always @(posedge clk_i) begin
    if (begin_op) begin
      empty_q      <= wait_empty;
      address_q    <= wait_address;
      run_q        <= run_d;
      pitch_q      <= wait_pitch;
      beats_q      <= wait_beats;
      beats_left_q <= wait_beats;
      runs_q       <= wait_runs;
      side_q       <= {wait_id, tag_q, clusters, sent_command, wait_count, sent_scatter};
    end else if (step && beat_over) begin
      address_q    <= run_end ? run_q : address_q + 1'b1;
      beats_left_q <= run_end ? beats_q : beats_left_q - 1'b1;
      if (run_end) begin
        run_q  <= run_d;
        runs_q <= runs_q - 16'd1;
      end
    end
    if (move) begin
      last_q        <= {last_q[0], op_end};
      side_first_q  <= side_q;
      side_second_q <= side_first_q;
    end
  end

  assign enable_o  = move;
  assign read_o    = busy_q && !empty_q && beat_first;
  assign address_o = address_q;

  // What is sent, and whether nothing is behind the reads.
  wire [SIDE-1:0] side;
  wire            behind_idle;

  assign {finish_id_o, packet_tag_o, packet_clusters_o, packet_command_o, packet_count_o, packet_scatter_o} = side;

  assign finish_o = packet_valid_o && packet_ready_i && packet_last_o;
  assign idle_o   = !wait_valid && !busy_q && step_q == 2'b00 && behind_idle;

  // -- Plain packets ----------------------------------------------------------------------------------------

  generate
    if (PLAIN != 0) begin : gen_plain
      localparam LANES = PES * ENTRIES; // entries of a beat
      localparam integer WHOLE = ENTRIES;
      localparam [15:0] EACH = WHOLE[15:0];
      localparam [15:0] SKIP = 16'h7F00; // gap of all ones, kind skip, payload 0

      wire              wait_plain;
      wire [15:0]       wait_segment;
      wire [15:0]       wait_segments;
      wire              ops_ready, ops_valid;

      tulle_fifo #(
        .WIDTH (33),
        .DEPTH (1)
      ) u_plain_ops (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .valid_i (op_valid_i),
        .ready_o (ops_ready),
        .data_i  ({op_plain_i, op_segment_i, op_segments_i}),
        .valid_o (ops_valid),
        .ready_i (begin_op),
        .data_o  ({wait_plain, wait_segment, wait_segments})
      );

      reg               plain_q;
      reg               upper_q;        // the next beat sent is made of the upper half
      reg [15:0]        segment_q;
      reg [15:0]        weights_left_q; // of the segment, at the beat's first entry
      reg [15:0]        segments_q;     // segments left, including this one
      wire              ends  = weights_left_q <= EACH;
      wire [15:0]       carry = ends ? segment_q : 16'd0;

      assign beat_first = !plain_q || !upper_q;
      assign beat_over  = !plain_q || upper_q;

      always @(posedge clk_i) begin
        if (begin_op) begin
          plain_q        <= wait_plain;
          upper_q        <= 1'b0;
          segment_q      <= wait_segment;
          weights_left_q <= wait_segment;
          segments_q     <= wait_segments;
        end else if (step) begin
          upper_q        <= !upper_q;
          weights_left_q <= weights_left_q + carry - EACH;
          if (ends && segments_q != 16'd0) segments_q <= segments_q - 16'd1;
        end
      end

      wire              bitmap;  // the packet is one
      wire [BUS-1:0]    beat;    // what is read; bytes of a bitmap are values of entries

      // Which byte is an entry's value, its last flag, and whether it is a skip: beside the two stages of the read.
      reg               plain_first_q, plain_second_q;
      reg               upper_first_q, upper_second_q;
      reg [ENTRIES-1:0] last_first_q, last_second_q;
      reg [ENTRIES-1:0] skip_first_q, skip_second_q;

      always @(posedge clk_i) begin
        if (move) begin
          plain_first_q  <= plain_q;
          plain_second_q <= plain_first_q;
          upper_first_q  <= upper_q;
          upper_second_q <= upper_first_q;
          last_second_q  <= last_first_q;
          skip_second_q  <= skip_first_q;
        end
      end

      genvar e, l;
      for (e = 0; e < ENTRIES; e = e + 1) begin : gen_entry
        localparam integer HERE = e;
        wire behind = weights_left_q <= HERE[15:0]; // it belongs to the next segment

        always @(posedge clk_i) begin
          if (move) begin
            last_first_q[e] <= weights_left_q == HERE[15:0] + 16'd1;
            skip_first_q[e] <= plain_q && !bitmap && (segments_q == 16'd0 || (behind && segments_q == 16'd1));
          end
        end
      end

      for (l = 0; l < LANES; l = l + 1) begin : gen_lane
        localparam PLACE_OF_LANE = l % ENTRIES;
        wire       last  = last_second_q[PLACE_OF_LANE];
        wire       skip  = skip_second_q[PLACE_OF_LANE];
        wire [7:0] value = !plain_second_q ? data_i[16*l +: 8]
                         : upper_second_q  ? data_i[BUS/2 + 8*l +: 8]
                                           : data_i[8*l +: 8];
        wire [7:0] index = plain_second_q ? {last, 7'd0} : data_i[16*l + 8 +: 8];

        assign beat[16*l +: 16] = skip ? SKIP : {index, value};
      end

      if (16 * LANES < BUS) begin : gen_rest
        assign beat[BUS-1:16*LANES] = data_i[BUS-1:16*LANES] & {BUS-16*LANES{!plain_second_q}};
      end

      if (BITMAP != 0) begin : gen_bitmap
        localparam MASKS_WIDTH = $clog2(BITMAP) + 1;

        reg                   is_bitmap_q, bitmap_first_q, bitmap_second_q;
        reg [MASKS_WIDTH-1:0] masks_first_q, masks_second_q;

        always @(posedge clk_i) begin
          if (begin_op) is_bitmap_q <= wait_plain && wait_segments == 16'd0;
          if (move) begin
            bitmap_first_q  <= is_bitmap_q;
            bitmap_second_q <= bitmap_first_q;
            masks_first_q   <= segment_q[MASKS_WIDTH-1:0];
            masks_second_q  <= masks_first_q;
          end
        end

        assign bitmap = is_bitmap_q;

        tulle_bitmap #(
          .BUS     (BUS),
          .PES     (PES),
          .ENTRIES (ENTRIES),
          .MASKS   (BITMAP),
          .SIDE    (SIDE)
        ) u_bitmap (
          .clk_i    (clk_i),
          .rst_ni   (rst_ni),
          .valid_i  (step_q[1]),
          .ready_o  (read_taken),
          .last_i   (last_q[1]),
          .bitmap_i (bitmap_second_q),
          .masks_i  (masks_second_q),
          .beat_i   (beat),
          .side_i   (side_second_q),
          .valid_o  (packet_valid_o),
          .ready_i  (packet_ready_i),
          .last_o   (packet_last_o),
          .beat_o   (packet_data_o),
          .side_o   (side),
          .idle_o   (behind_idle)
        );
      end else begin : gen_no_bitmap
        assign bitmap         = 1'b0;
        assign read_taken     = packet_ready_i;
        assign packet_valid_o = step_q[1];
        assign packet_last_o  = last_q[1];
        assign packet_data_o  = beat;
        assign side           = side_second_q;
        assign behind_idle    = 1'b1;
      end

      wire unused_ops = &{1'b0, ops_ready, ops_valid};
    end else begin : gen_entries
      assign beat_first     = 1'b1;
      assign beat_over      = 1'b1;
      assign read_taken     = packet_ready_i;
      assign packet_valid_o = step_q[1];
      assign packet_last_o  = last_q[1];
      assign packet_data_o  = data_i;
      assign side           = side_second_q;
      assign behind_idle    = 1'b1;

      wire unused_plain = &{1'b0, op_plain_i, op_segment_i, op_segments_i};
    end
  endgenerate

  // -- Places of packets -----------------------------------------------------------------------------------

  reg  [PLACE-1:0] error_place_q;
  wire [PLACE-1:0] error_place;

  tulle_lutram #(
    .WIDTH (PLACE),
    .DEPTH (1 << TAG)
  ) u_places (
    .clk_i   (clk_i),
    .we_i    (begin_op),
    .waddr_i (tag_q),
    .wdata_i (wait_place),
    .raddr_i (error_tag_i),
    .rdata_o (error_place)
  );

  always @(posedge clk_i) error_place_q <= error_place;

  assign error_place_o = error_place_q;

endmodule

`default_nettype wire
