// SPDX-License-Identifier: Apache-2.0
  localparam MOST = DEPTH;
  localparam SLOW = 0;
`include "queue.vh"
