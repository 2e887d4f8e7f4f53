// SPDX-License-Identifier: Apache-2.0
// One of four counts of three bits, by the ID.
  function [2:0] of_id(input [11:0] counts, input [1:0] id);
    of_id = id[1] ? (id[0] ? counts[11:9] : counts[8:6]) : (id[0] ? counts[5:3] : counts[2:0]);
  endfunction

