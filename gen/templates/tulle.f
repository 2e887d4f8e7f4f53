// SPDX-License-Identifier: Apache-2.0
//
// The design's files, in compilation order, relative to this folder:
//   verilator -F <folder>/tulle.f     iverilog -c tulle.f (in the folder)
// ${generated}
+incdir+include
//: for i < design_files
${design_file[i]}
//: end
