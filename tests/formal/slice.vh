// SPDX-License-Identifier: Apache-2.0
  localparam MOST = 1;
  localparam SLOW = 0;
`include "queue.vh"
