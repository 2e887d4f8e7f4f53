// SPDX-License-Identifier: Apache-2.0
// Lines of a block: as many as it has, in address order with one wrap at the modulus, each as it came, with its bitmask, a
// cycle after it was taken.

  localparam LINE = LOAD_WIDTH / DATA_WIDTH;

  reg  [15:0] left_q;
  reg  [16:0] next_q;  // line
  reg  [16:0] wrap_q;
  reg         wrote_q;
  reg  [16:0] place_q;
  reg  [LOAD_WIDTH-1:0] line_q;
  wire        take = left_q != 16'd0 && valid_i;
  wire        fits = address_i % LINE == 0 && wrap_i % LINE == 0 && block_i % LINE == 0 && block_i <= wrap_i;

  (* anyconst *) wire [7:0] lane;
  wire [DATA_WIDTH-1:0] value = line_q >> (lane * DATA_WIDTH);

  always @(posedge clk_i) begin
    assume (lane < LINE);
    assume (!start_i || fits);
    if (!rst_ni) begin
      left_q  <= 16'd0;
      wrote_q <= 1'b0;
    end else begin
      wrote_q <= take;
      if (start_i)   left_q <= block_i / LINE;
      else if (take) left_q <= left_q - 16'd1;
    end
    if (start_i) begin
      next_q <= address_i / LINE;
      wrap_q <= wrap_i / LINE;
    end else if (take) begin
      next_q <= next_q + 17'd1 == wrap_q ? 17'd0 : next_q + 17'd1;
    end
    place_q <= next_q;
    line_q  <= data_i;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (idle_o == (left_q == 16'd0));
    assert (start_ready_o == (left_q == 16'd0 || (take && left_q == 16'd1)));
    assert (ready_o == take);
    assert (write_o == wrote_q);
    assert (!wrote_q || (line_o == place_q && data_o == line_q));
    assert (!wrote_q || mask_o[lane] == (value != 0));
    cover (wrote_q && line_o == 0 && place_q == 0 && take && wrap_q != 17'd1);
    cover (start_i && take);
  end
