# SPDX-License-Identifier: Apache-2.0
#
# Turns text files into a C array: <prefix>_sources[], of struct <prefix>_source {name, label, text} that
# `header` declares, in the order the files are given. The name is the file's without `extension`, the label
# the file's after `label`.
#   awk -v prefix=... -v header=... -v extension=... -v label=... -f embed.awk FILE...

BEGIN {
    print "/* SPDX-License-Identifier: Apache-2.0 */"
    print "/* Made by gen/base/embed.awk. */"
    printf "#include \"%s\"\n\nconst struct %s_source %s_sources[] = {\n", header, prefix, prefix
}

FNR == 1 {
    file = name = FILENAME
    sub(/.*\//, "", file)
    name = substr(file, 1, length(file) - length(extension))
    printf "%s    {\"%s\", \"%s%s\",\n", (NR > 1 ? "    },\n" : ""), name, label, file
}

{
    # A question mark, too: two of them and a bracket are a trigraph.
    gsub(/["\\?]/, "\\\\&")
    printf "     \"%s\\n\"\n", $0
}

END {
    printf "    },\n};\n\nconst size_t %s_source_count = sizeof %s_sources / sizeof *%s_sources;\n", prefix, prefix, prefix
}
