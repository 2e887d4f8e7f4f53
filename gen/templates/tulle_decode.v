// SPDX-License-Identifier: Apache-2.0
//
// tulle_decode_${family}: says which format a ${family} word has, and whether the word is legal by the tables of
// docs/isa.md of the source tree. Combinational.
// ${generated}

`default_nettype none

`include "tulle_isa.vh"

module tulle_decode_${family} (
  input  wire	[${bits-1}:0]	word_i,
//: for f < formats
  output wire		${format[f]}_o,	// ${format_title[f]}
//: end
  output wire		bad_reserved_o,	// a reserved bit is not 0
//: if nested_formats
  output wire		bad_field_o,	// the word has no format, or a field is outside its range
  output wire		bad_${nested}_o	// the ${nested} in the record is not legal
//: else
  output wire		bad_field_o	// the word has no format, or a field is outside its range
//: end
);

//: for f < formats
  assign ${format[f]}_o	= ${is_format[f]};
//: end

  assign bad_reserved_o =${bad_reserved};

  assign bad_field_o =${bad_field};
//: if nested_formats

  // The record holds a word of another family, the ${nested}.
//: for f < nested_formats
  wire ${nested_format[f]};
//: end
  wire reserved;
  wire field;

  tulle_decode_${nested} u_${nested} (
    .word_i	(${nested_word}),
//: for f < nested_formats
    .${nested_format[f]}_o	(${nested_format[f]}),
//: end
    .bad_reserved_o	(reserved),
    .bad_field_o	(field)
  );

  assign bad_${nested}_o = ${nested_holder}_o && (reserved || field);
//: end

  // A field that may have any value is not looked at.
//: if nested_formats
  wire unused = &{1'b0, word_i, ${nested_names}};
//: else
  wire unused = &{1'b0, word_i};
//: end

endmodule

`default_nettype wire
