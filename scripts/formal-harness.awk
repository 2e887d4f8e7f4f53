# SPDX-License-Identifier: Apache-2.0
# Writes the module that is proven: `proof`, with the parameters and ports of a module of rtl/ and, within, the module
# as u_dut, the assumption that everything begins in reset, and the text of BODY (tests/formal/NAME.vh), if any, which
# adds the environment and the properties. Outputs of handshakes get a cover statement each.
#   awk -v body=FILE -f formal-harness.awk rtl/tulle_NAME.v

function instance(kind, names, count,   i, text) {
    for (i = 1; i <= count; i++)
        text = text (i > 1 ? ", " : "") "." names[i] "(" names[i] ")"
    return text
}

# Widths of ports may be constants of an included file.
/^`include / && !seen { print }

/^module / && !seen {
    seen = inside = 1
    module = $2
    sub(module, "proof")
}

inside {
    line = $0
    sub(/\/\/.*/, "", line)
    print line
    if (line ~ /^ *parameter /) {
        sub(/ *=.*/, "", line)
        sub(/^.* /, "", line)
        parameters[++parameter_count] = line
    } else if (line ~ /^ *(input|output) /) {
        output = line ~ /^ *output /
        sub(/[ ,]*$/, "", line)
        sub(/^.*[ \]]/, "", line)
        ports[++port_count] = line
        reset = reset || line == "rst_ni"
        if (output && line ~ /(valid|ready|write|take|closed)_o$/)
            covers[++cover_count] = line
    }
    if ($0 ~ /^\);/)
        inside = 0
}

END {
    if (!seen) {
        print FILENAME ": error: no module" > "/dev/stderr"
        exit 1
    }
    printf "  %s ", module
    if (parameter_count)
        printf "#(%s) ", instance("parameter", parameters, parameter_count)
    printf "u_dut (%s);\n\n", instance("port", ports, port_count)
    print "  reg started_q;\n  initial started_q = 1'b0;\n  always @(posedge clk_i) started_q <= 1'b1;"
    if (reset) {
        print "  always @(posedge clk_i) assume (started_q || !rst_ni);"
        for (i = 1; i <= cover_count; i++)
            printf "  always @(posedge clk_i) cover (started_q && rst_ni && |%s);\n", covers[i]
    }
    while (body != "" && (getline line < body) > 0)
        print line
    print "endmodule"
}
