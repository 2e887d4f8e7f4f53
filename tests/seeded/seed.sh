# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# How every list of seeded bugs replaces a text of a source file.

# occurrences FILE TEXT: how often the text is in the file.
occurrences() {
    local text rest
    text=$(<"$1")
    rest=${text//"$2"/}
    echo $(((${#text} - ${#rest}) / ${#2}))
}

# seed FILE FROM TO: prints the file with its first FROM replaced by TO.
seed() {
    local text
    text=$(<"$1")
    [[ $text == *"$2"* ]] || {
        echo "$1 has no '$2' to change" >&2
        return 1
    }
    printf '%s\n' "${text/"$2"/"$3"}"
}

# sampled: whether the next fault of a list is played. With SAMPLE=N in the environment every Nth is, from the first: in CI,
# which leaves the others to the long run.
SAMPLE=${SAMPLE-1} FAULTS=0
sampled() {
    ((FAULTS++ % SAMPLE == 0))
}
