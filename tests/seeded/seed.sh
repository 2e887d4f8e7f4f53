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
