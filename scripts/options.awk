# SPDX-License-Identifier: Apache-2.0
#
# The options in the --help of a command of this project: one line for each, with what follows it, if something does.
# They stand at the beginning of a line, several with a blank between them; text follows.
#   "  -o, --output DIR      where"       ->  -o DIR, --output DIR
#   "  --rows M --k K --n N sizes (64"    ->  --rows M, --k K, --n N

/^ +-/ {
    rest = $0
    sub(/^ +/, "", rest)
    while (match(rest, /^-[-a-zA-Z][-a-z0-9]*/)) {
        names[++count] = substr(rest, 1, RLENGTH)
        rest = substr(rest, RLENGTH + 1)
        if (sub(/^, /, "", rest))
            continue
        sub(/^\|/, "", rest) # of usage
        value = ""
        if (match(rest, /^ [A-Z][^ ]*/)) {
            value = substr(rest, 2, RLENGTH - 1)
            rest = substr(rest, RLENGTH + 1)
        }
        for (i = 1; i <= count; i++)
            print names[i] (value == "" ? "" : " " value)
        count = 0
        if (!sub(/^ /, "", rest))
            break
    }
    count = 0
}
