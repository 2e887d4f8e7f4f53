// SPDX-License-Identifier: Apache-2.0
// A range is cut into bursts one behind the other, none across a multiple of BURST, none shorter than it could be, of
// as many beats as its bytes need; all of it, and nothing else. After start_i a burst is on offer within two cycles.

  localparam BYTES = MEM / 8;
  localparam PLACE = $clog2(BURST);

  reg  [COUNT-1:0] rest_q;  // bytes that were in no burst
  reg  [63:0]      place_q; // of the first of these
  reg  [1:0]       still_q; // cycles without an offer
  reg              later_q; // a burst of the range was taken

  wire [COUNT+12:0] begins = place_q % BURST;
  wire [COUNT+12:0] ends   = begins + bytes_o;

  always @(posedge clk_i) begin
    assume (!start_i || {1'b0, address_i} + bytes_i <= {1'b0, {64{1'b1}}});
    if (!rst_ni)                 rest_q <= {COUNT{1'b0}};
    else if (start_i)            rest_q <= bytes_i;
    else if (valid_o && ready_i) rest_q <= rest_q - bytes_o;
    if (start_i)                 place_q <= address_i;
    else if (valid_o && ready_i) place_q <= place_q + bytes_o;
    later_q <= rst_ni && !start_i && (later_q || (valid_o && ready_i));
    still_q <= (!rst_ni || start_i || valid_o || rest_q == {COUNT{1'b0}}) ? 2'd0 : still_q + 2'd1;
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (!valid_o || (bytes_o != 0 && bytes_o <= rest_q));
    assert (!valid_o || (ends <= BURST && (ends == BURST || bytes_o == rest_q)));
    assert (!valid_o || address_o == place_q - place_q % BYTES);
    assert (!valid_o || beats_o == (place_q % BYTES + bytes_o - 1) / BYTES);
    assert (still_q < 2'd2);
    cover (valid_o && ready_i && bytes_o == rest_q && place_q % BYTES != 0);
    cover (valid_o && ends == BURST && rest_q != bytes_o);
    cover (valid_o && later_q && bytes_o == rest_q);
  end

  tulle_burst_check #(.MEM(MEM)) u_address_check (
    .clk_i(clk_i), .rst_ni(rst_ni && !start_i), .valid_i(valid_o), .ready_i(ready_i), .address_i(address_o),
    .beats_i(beats_o));
