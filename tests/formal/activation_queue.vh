// SPDX-License-Identifier: Apache-2.0
// The word on offer has left the RAM, so there is room for one more than the RAM holds. After a cycle in which the
// queue was not full there is room.
  localparam MOST = DEPTH + 1;
  localparam SLOW = 1;
`include "queue.vh"

  reg room_q;
  always @(posedge clk_i) begin
    room_q <= rst_ni && inside_q + {4'd0, push} < DEPTH;
    if (rst_ni) assert (ready_o || !room_q);
  end
