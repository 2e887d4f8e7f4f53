# SPDX-License-Identifier: Apache-2.0
# Line and toggle coverage of each file of rtl/ and in all, of Verilator's coverage data. A point (place in a file, and
# signal bit) counts as covered when any instance of any variant has covered it. Fails below `gate` percent of lines.

function percent(part, whole) {
    return whole ? 100 * part / whole : 100
}

/^C / {
    count = $NF
    key = $0
    sub(/' [0-9]+$/, "", key)
    n = split(key, field, "\001")
    file = line = column = page = what = ""
    for (i = 2; i <= n; i++) {
        split(field[i], pair, "\002")
        if (pair[1] == "f") file = pair[2]
        else if (pair[1] == "l") line = pair[2]
        else if (pair[1] == "n") column = pair[2]
        else if (pair[1] == "page") page = pair[2]
        else if (pair[1] == "o") what = pair[2]
    }
    if (file !~ /(^|\/)rtl\/tulle_[a-z0-9_]*\.v$/)
        next
    sub(/^.*\//, "", file)
    kind = page ~ /^v_toggle/ ? "toggle" : "line"
    point = kind SUBSEP file SUBSEP line SUBSEP column SUBSEP what
    if (!(point in seen)) {
        seen[point] = 1
        all[kind, file]++
        total[kind]++
        files[file] = 1
    }
    if (kind == "line" && !(point in place))
        place[point] = sprintf("%s:%d (%s)", file, line, what)
    if (count > 0 && !(point in hit)) {
        hit[point] = 1
        good[kind, file]++
        reached[kind]++
    }
}

END {
    if (!total["line"]) {
        print "error: no coverage data of rtl/" > "/dev/stderr"
        exit 1
    }
    printf "%-30s %16s %18s\n", "file", "lines", "toggles"
    for (file in files)
        printf "%-30s %5d/%-5d %4.0f%% %6d/%-6d %4.0f%%%s\n", file, good["line", file], all["line", file],
            percent(good["line", file], all["line", file]), good["toggle", file], all["toggle", file],
            percent(good["toggle", file], all["toggle", file]),
            percent(good["line", file], all["line", file]) < 95 ? "  below 95 %" : "" | "sort"
    close("sort")
    lines = percent(reached["line"], total["line"])
    printf "%-30s %5d/%-5d %4.1f%% %6d/%-6d %4.1f%%\n", "total", reached["line"], total["line"], lines,
        reached["toggle"], total["toggle"], percent(reached["toggle"], total["toggle"])
    for (point in place)
        if (!(point in hit))
            print "not reached: " place[point] | "sort -V"
    close("sort -V")
    if (lines < gate) {
        printf "error: line coverage %.1f %% is below %s %%\n", lines, gate > "/dev/stderr"
        exit 1
    }
}
