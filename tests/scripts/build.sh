#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The build rebuilds what it must and nothing else, and make help names every target.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

tree=$TMPDIR/tree
# The generator's base layer stands for all: the rules are the same for every folder.
mapfile -t fragments < <(cd "$TOP" && ls -- */*.mk */*/*.mk)
copy_tree "$tree" "${fragments[@]}" gen/base gen/variants gen/variant/named.h
cd "$tree"
sources=$(find gen/base -name '*.c' | sort)
objects=$(sed 's|^|build/|; s|c$|o|' <<<"$sources")

# Optimisation would only cost time here.
run_make() {
    # shellcheck disable=SC2086 # one word per object
    env -u MAKEFLAGS -u CC -u CFLAGS make -s -j2 BUILD=build OPT=-O0 "$@" $objects
}

# rebuilt: the objects that are newer than the mark, without folder and suffix of the build.
rebuilt() {
    find build -name '*.o' -newer mark | sed 's|^build/||; s|\.o$|.c|' | sort
}

mark() {
    touch mark
    # Above the resolution of file times.
    sleep 0.05
}

run_make

# A second make does nothing.
expect 0 run_make -q
mark
run_make
[[ -z $(rebuilt) ]] || fail "a second make rebuilt $(rebuilt)"

# Touching a header rebuilds exactly the files that the compiler says include it.
users_of() {
    local source
    while read -r source; do
        ! gcc -std=c11 -D_POSIX_C_SOURCE=200809L -I. -Ibuild -MM "$source" | grep "$1" >/dev/null || echo "$source"
    done <<<"$sources"
}
for header in gen/base/strbuf.h gen/base/input.h; do
    mark
    touch "$header"
    run_make
    [[ $(rebuilt) == "$(users_of "$header")" ]] ||
        fail "touching $header rebuilt: $(rebuilt)" "instead of: $(users_of "$header")"
done
[[ $(users_of gen/base/input.h) != "$(users_of gen/base/strbuf.h)" ]] || fail "the two headers tell nothing apart"

# Other flags rebuild everything; the same flags again nothing.
expect 1 run_make -q WERROR=1
mark
run_make WERROR=1
[[ $(rebuilt) == "$sources" ]] || fail "new flags rebuilt only: $(rebuilt)"
expect 0 run_make -q WERROR=1

# A generated source that is gone is made again, also below an absolute folder.
absolute() {
    env -u MAKEFLAGS -u CC -u CFLAGS make -s BUILD="$tree/build" OPT=-O0 WERROR=1 "$tree/build/gen/variants.o"
}
expect 0 absolute
rm build/gen/variants.*
expect 0 absolute
rm build/gen/variants.c
touch build/flags
expect 0 absolute

# The same for the whole project.
# shellcheck disable=SC2317 # called through expect
whole() {
    env -u MAKEFLAGS -u CC -u CFLAGS make -C "$TOP" --no-print-directory -s -j2 BUILD="$PWD/whole" OPT=-O0 "$@" all tests
}
expect 0 whole
expect 0 whole -q

# make help has a line for every target that is a name rather than a file, and none besides.
make -C "$TOP" --no-print-directory -np BUILD="$PWD/build" help | sed -n 's/^\.PHONY: //p' | tr ' ' '\n' | grep -v '^FORCE$' | sort -u >phony
make -C "$TOP" --no-print-directory BUILD="$PWD/build" help | awk '{ print $1 }' | sort >listed
[[ -s listed ]] || fail "make help prints nothing"
diff phony listed || fail "make help (>) and the phony targets (<) differ"
