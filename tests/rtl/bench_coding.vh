// SPDX-License-Identifier: Apache-2.0
// Zero points of activations, for modules of benches with the parameters DATA and ZERO. A coding is {no sign, zero point}.
  // A few activations that come often, as zero points too; only 0 without zero points.
  function [DATA-1:0] common(input [1:0] which);
    common = (ZERO == 0 || which == 2'd0) ? {DATA{1'b0}} : which == 2'd1 ? {1'b1, {DATA-1{1'b0}}} : {{DATA-3{1'b0}}, which, 1'b1};
  endfunction

  // What the input buffers get for an activation: {mask bit, activation}, or its difference to the zero point.
  function [DATA:0] word(input [DATA-1:0] activation, input counts, input [DATA:0] coding);
    if (ZERO == 0) word = {counts || activation != {DATA{1'b0}}, activation};
    else if (activation == coding[DATA-1:0] && !counts) word = {1'b1, {DATA{1'b0}}};
    else word = {!coding[DATA] && activation[DATA-1], activation} - {!coding[DATA] && coding[DATA-1], coding[DATA-1:0]};
  endfunction
