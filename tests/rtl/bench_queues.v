// SPDX-License-Identifier: Apache-2.0
//
// Benches of tulle_fifo, tulle_slice, tulle_fork, tulle_arbiter and the RAM wrappers.

`default_nettype none

// A FIFO (DEPTH 1 and up) or a slice (DEPTH 0) between source and sink; without stalls, at full throughput.
module bench_queue #(
  parameter WIDTH = 8,
  parameter DEPTH = 4,
  parameter IN    = 0,
  parameter OUT   = 0
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam COUNT = 150;

  wire             valid_in, ready_in, valid_out, ready_out, sent, came;
  wire [WIDTH-1:0] data_in, data_out;
  reg  [31:0]      cycles_q;

  bench_source #(.WIDTH(WIDTH), .COUNT(COUNT), .PACE(IN), .SEED(DEPTH)) u_source (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_o(valid_in), .ready_i(ready_in), .data_o(data_in), .done_o(sent));
  bench_sink #(.WIDTH(WIDTH), .COUNT(COUNT), .PACE(OUT), .SEED(DEPTH)) u_sink (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_out), .ready_o(ready_out), .data_i(data_out), .done_o(came));

  generate
    if (DEPTH == 0) begin : gen_slice
      tulle_slice #(.WIDTH(WIDTH)) u_dut (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_in), .ready_o(ready_in), .data_i(data_in),
        .valid_o(valid_out), .ready_i(ready_out), .data_o(data_out));
    end else begin : gen_fifo
      tulle_fifo #(.WIDTH(WIDTH), .DEPTH(DEPTH)) u_dut (
        .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_in), .ready_o(ready_in), .data_i(data_in),
        .valid_o(valid_out), .ready_i(ready_out), .data_o(data_out));
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni)    cycles_q <= 32'd0;
    else if (!came) cycles_q <= cycles_q + 32'd1;
    if (rst_ni && came && IN == 0 && OUT == 0 && DEPTH != 1 && cycles_q > COUNT + 4) begin
      $display("%m: %0d words took %0d cycles", COUNT, cycles_q);
      $fatal(1);
    end
  end

  assign done_o = sent && came;
endmodule

// Every word to the ports that its lowest bits name; each port must get its words, once, in order.
module bench_fork #(
  parameter PORTS = 3,
  parameter IN    = 0,
  parameter OUT   = 0
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam COUNT = 150;
  localparam WIDTH = 32;

  wire             valid_in, ready_in, sent;
  wire [WIDTH-1:0] data_in, data_out;
  wire [PORTS-1:0] valid_out, ready_out, empty;

  bench_source #(.WIDTH(WIDTH), .COUNT(COUNT), .PACE(IN), .SEED(PORTS)) u_source (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_o(valid_in), .ready_i(ready_in), .data_o(data_in), .done_o(sent));

  tulle_fork #(.WIDTH(WIDTH), .PORTS(PORTS)) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_in), .ready_o(ready_in), .data_i(data_in),
    .mask_i(data_in[PORTS-1:0]), .valid_o(valid_out), .ready_i(ready_out), .data_o(data_out));

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : gen_port
      reg [WIDTH-1:0] due [0:COUNT-1];
      integer         head = 0;
      integer         tail = 0;

      bench_pace #(.PACE(OUT), .SEED(50 + p)) u_pace (.clk_i(clk_i), .now_o(ready_out[p]));

      always @(posedge clk_i) begin
        if (rst_ni && valid_in && ready_in && data_in[p]) begin
          due[tail] <= data_in;
          tail      <= tail + 1;
        end
        if (rst_ni && valid_out[p] && ready_out[p]) begin
          head <= head + 1;
          if (head == tail || data_out !== due[head]) begin
            $display("%m: port got %h, must be %h", data_out, due[head]);
            $fatal(1);
          end
        end
      end

      assign empty[p] = head == tail;
    end
  endgenerate

  assign done_o = sent && &empty && valid_out == {PORTS{1'b0}};
endmodule

// Packets of 1 to 8 words from every port: {port, packet, word}. They must come out whole, in order, and no
// port may wait for more than one packet of each other port.
module bench_arbiter #(
  parameter PORTS = 3,
  parameter IN    = 0,
  parameter OUT   = 0
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam PACKETS = PORTS > 4 ? 6 : 24;
  localparam INDEX   = $clog2((PORTS > 1) ? PORTS : 2);

  wire [PORTS-1:0]    valid, ready, last, finished;
  wire [PORTS*24-1:0] data;
  wire                valid_out, ready_out, last_out;
  wire [23:0]         data_out;
  wire [INDEX-1:0]    index;

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : gen_port
      reg [7:0]   packet_q;
      reg [7:0]   word_q;
      reg         valid_q;
      wire        now;
      wire [63:0] length;

      bench_pace #(.PACE(IN), .SEED(90 + p)) u_pace (.clk_i(clk_i), .now_o(now));
      wire [31:0] seed = p;
      bench_hash u_hash (.seed_i(seed), .index_i({24'd0, packet_q}), .hash_o(length));

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          packet_q <= 8'd0;
          word_q   <= 8'd0;
          valid_q  <= 1'b0;
        end else if (!valid_q) begin
          valid_q <= now && packet_q != PACKETS;
        end else if (ready[p]) begin
          valid_q  <= now && !(last[p] && packet_q == PACKETS - 1);
          word_q   <= last[p] ? 8'd0 : word_q + 8'd1;
          packet_q <= last[p] ? packet_q + 8'd1 : packet_q;
        end
      end

      assign valid[p]         = valid_q;
      assign last[p]          = word_q[2:0] == length[2:0];
      assign data[p*24 +: 24] = {p[7:0], packet_q, word_q};
      assign finished[p]      = packet_q == PACKETS;
    end
  endgenerate

  tulle_arbiter #(.WIDTH(24), .PORTS(PORTS)) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid), .ready_o(ready), .last_i(last), .data_i(data),
    .may_begin_i ({PORTS{1'b1}}),
    .abandon_i({PORTS{1'b0}}), .valid_o(valid_out), .ready_i(ready_out), .last_o(last_out), .data_o(data_out),
    .index_o(index));

  bench_pace #(.PACE(OUT), .SEED(7)) u_pace (.clk_i(clk_i), .now_o(ready_out));

  reg        inside_packet_q;
  reg [23:0] last_q;
  reg [7:0]  packets [0:PORTS-1]; // that came from each port
  integer    waited [0:PORTS-1];  // packets of others while this one waited
  integer    i;

  wire [7:0] from = data_out[23:16];

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_packet_q <= 1'b0;
      for (i = 0; i < PORTS; i = i + 1) begin
        packets[i] <= 8'd0;
        waited[i]  <= 0;
      end
    end else if (valid_out && ready_out) begin
      inside_packet_q <= !last_out;
      last_q          <= data_out;
      if ({{8-INDEX{1'b0}}, index} !== from || data_out[15:8] !== packets[from] ||
          (inside_packet_q ? data_out !== last_q + 24'd1 : data_out[7:0] !== 8'd0)) begin
        $display("%m: %h came after %h, from port %0d", data_out, last_q, index);
        $fatal(1);
      end
      if (last_out) begin
        packets[from] <= packets[from] + 8'd1;
        for (i = 0; i < PORTS; i = i + 1) waited[i] <= (i[7:0] == from || !valid[i]) ? 0 : waited[i] + 1;
        for (i = 0; i < PORTS; i = i + 1)
          if (waited[i] > PORTS) begin
            $display("%m: port %0d waited for %0d packets", i, waited[i]);
            $fatal(1);
          end
      end
    end
  end

  assign done_o = &finished && !valid_out;
endmodule

// Sources that report one after another, and some at once: the first of them, and of those at once the lowest.
module bench_first_error #(
  parameter PORTS = 3
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam INDEX = $clog2((PORTS > 1) ? PORTS : 2);

  reg  [31:0]        cycle_q;
  reg                reset_q;
  reg  [PORTS-1:0]   error_q;
  reg  [INDEX:0]     want_q; // 2^INDEX: none yet
  wire [63:0]        chance;
  wire               error;
  wire [7:0]         data;
  wire [INDEX-1:0]   index;
  wire [PORTS*8-1:0] words;
  integer            i;

  bench_hash u_hash (.seed_i(32'd9), .index_i(cycle_q), .hash_o(chance));

  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : gen_port
      assign words[p*8 +: 8] = error_q[p] ? p + 1 : 8'hFF;
    end
  endgenerate

  tulle_first_error #(.WIDTH(8), .PORTS(PORTS)) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni && !reset_q), .error_i(error_q), .data_i(words), .error_o(error), .data_o(data),
    .index_o(index));

  always @(posedge clk_i) begin
    reset_q <= 1'b0;
    if (!rst_ni) begin
      cycle_q <= 32'd0;
      error_q <= {PORTS{1'b0}};
      want_q  <= 1 << INDEX;
    end else begin
      cycle_q <= cycle_q + 32'd1;
      reset_q <= cycle_q % 16 == 0;
      error_q <= reset_q || cycle_q % 16 < 2 ? {PORTS{1'b0}} : error_q | (chance[PORTS-1:0] & chance[32 +: PORTS]);
      if (reset_q) want_q <= 1 << INDEX;
      else if (want_q[INDEX])
        for (i = PORTS - 1; i >= 0; i = i - 1) if (error_q[i]) want_q <= i;
      if (error !== !want_q[INDEX] || (error && (index !== want_q[INDEX-1:0] || data !== want_q + 8'd1))) begin
        $display("%m: %b %0d %0d, must be %0d", error, index, data, want_q);
        $fatal(1);
      end
    end
  end

  assign done_o = cycle_q >= 500;
endmodule

// Both RAM wrappers against an array. The synchronous one is not read where it is written.
module bench_ram #(
  parameter WIDTH = 8,
  parameter DEPTH = 16
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam ADDR = $clog2((DEPTH > 1) ? DEPTH : 2);

  reg  [31:0]      cycle_q;
  wire [63:0]      word, places;
  reg  [WIDTH-1:0] model [0:DEPTH-1];
  reg  [DEPTH-1:0] written_q;
  wire [WIDTH-1:0] now, later;
  reg  [WIDTH-1:0] later_q;
  reg              check_q;

  bench_hash u_words (.seed_i(3), .index_i(cycle_q), .hash_o(word));
  bench_hash u_places (.seed_i(4), .index_i(cycle_q), .hash_o(places));

  wire [31:0] write_at = places[31:0] % DEPTH;
  wire [31:0] read_at  = places[63:32] % DEPTH;
  wire        write    = word[40];
  wire        read     = word[41] && !(write && write_at == read_at);

  tulle_lutram #(.WIDTH(WIDTH), .DEPTH(DEPTH)) u_lutram (
    .clk_i(clk_i), .we_i(write), .waddr_i(write_at[ADDR-1:0]), .wdata_i(word[WIDTH-1:0]),
    .raddr_i(read_at[ADDR-1:0]), .rdata_o(now));
  tulle_ram_1w1r #(.WIDTH(WIDTH), .DEPTH(DEPTH)) u_ram (
    .clk_i(clk_i), .we_i(write), .waddr_i(write_at[ADDR-1:0]), .wdata_i(word[WIDTH-1:0]),
    .re_i(read), .raddr_i(read_at[ADDR-1:0]), .rdata_o(later));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q   <= 32'd0;
      written_q <= {DEPTH{1'b0}};
      check_q   <= 1'b0;
    end else begin
      cycle_q <= cycle_q + 32'd1;
      if (write) begin
        model[write_at]     <= word[WIDTH-1:0];
        written_q[write_at] <= 1'b1;
      end
      if (read) begin
        later_q <= model[read_at];
        check_q <= written_q[read_at];
      end
      if ((written_q[read_at] && now !== model[read_at]) || (check_q && later !== later_q)) begin
        $display("%m: word %0d is %h and was %h, must be %h and %h", read_at, now, later, model[read_at], later_q);
        $fatal(1);
      end
    end
  end

  assign done_o = cycle_q >= 800;
endmodule

`default_nettype wire
