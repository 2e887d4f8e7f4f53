#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Structures of the public header may grow: a program that was compiled with the first header that has sizes
# (abi/tulle-1.h, which never changes) runs with this library and with one whose structures have more fields, and a
# program that was compiled with more fields runs with this library while they are 0.
# timeout: 600

# shellcheck source=tests/host_lib/lib.sh
source "$TOP/tests/host_lib/lib.sh"
plain_build
ABI=$TOP/tests/host_lib/abi
export OCL_ICD_VENDORS=$VENDORS TULLE_DEVICES=model:tiny,model:base,model:odd

# next_header FILE: what a later version may look like.
next_header() {
    awk '/^struct tulle_[a-z_]* {$/ { inside = 1; sized = 0 }
        inside && /^    size_t size;/ { sized = 1 }
        inside && /^};/ { if (sized) print "    uint64_t next;"; inside = 0 }
        { print }' "$1"
}
mkdir -p first now next/host later
cp "$ABI/tulle-1.h" first/tulle.h
cp "$HEADER" now/tulle.h
next_header "$HEADER" >next/tulle.h
cp next/tulle.h next/host/tulle.h
(($(grep -c 'uint64_t next;' next/tulle.h) == 23)) || fail "structures with sizes: $(grep -c 'uint64_t next;' next/tulle.h), not 23"

# ---- numbers: fields lie where they did, constants are what they were

# numbers FOLDER: a program that prints both.
numbers() {
    sed 's|/\*.*\*/||; /\/\*/,/\*\//d; /^#/d' first/tulle.h >bare
    {
        printf '#include <stdio.h>\n#include <tulle.h>\nint main(void)\n{\n'
        sed -n '/^struct.*{/,/^}/p' bare | awk '
            /{/ { tag = $2; next }
            /}/ { next }
            {
                gsub(/;.*/, "")
                count = split($0, part, ",")
                for (i = 1; i <= count; i++) {
                    sub(/\[.*/, "", part[i])
                    words = split(part[i], word, /[ *]+/)
                    printf "printf(\"%s.%s %%zu\\n\", offsetof(struct %s, %s));\n", tag, word[words], tag, word[words]
                }
            }'
        # The last of each enumeration is how many there are.
        tr '\n' ' ' <bare | grep -o 'enum tulle_[a-z]* {[^}]*}' | sed 's/.*{//; s/}//; s/[ ,]*$//; s/,[^,]*$//' | tr -d ' ' | tr ',' '\n' |
            sed 's/.*/printf("& %d\\n", (int)&);/'
        echo '}'
    } >numbers.c
    build_c "-I$1" numbers.c -o "numbers-$1"
    "./numbers-$1"
}
numbers first >wanted
(($(wc -l <wanted) > 120)) || fail "the numbers of the first header are not found"
numbers now | diff wanted - || fail "numbers: the first header's (<), this one's (>)"

# ---- programs

cat >wanted <<'W'
model:tiny
model:base
model:odd
993 6
0 9
0 15
0 1018
1.5
W
# build NAME HEADERS LIBRARIES FLAG...
build() {
    build_c "-I$2" "${@:4}" "$ABI/program.c" -L"$3" -ltulle -Wl,-rpath,"$3" -o "$1"
}
# runs PROGRAM ARGUMENT...
runs() {
    timeout 60 "./$1" "${@:2}" >out 2>err || fail "$*: exit status $?: $(cat err)"
    diff wanted out || fail "$*: wanted (<), printed (>)"
}
build first-now first "$BUILD/lib"
runs first-now

build next-now next "$BUILD/lib" -DNEXT
runs next-now
names=(device_options matrix matrix matrix output window epilogue plan_options operator_options operands float_options float_operands)
for i in "${!names[@]}"; do
    status=0
    ./next-now "$i" >out 2>err || status=$?
    ((status == 3)) || fail "a new field of tulle_${names[i]} that is not 0: exit status $status: $(cat err)"
    grep -q ": invalid argument: struct tulle_${names[i]}: size is [0-9]*; this version knows [0-9]* bytes" err ||
        fail "a new field of tulle_${names[i]} that is not 0: $(cat err)"
done

# A library with more fields: its sources with that header in front of today's.
read -ra flags <"$BUILD/flags"
cd "$TOP"
for file in host/lib/*.c host/operator/*.c host/net/{base,proto,graph,read,write,cpu,device,marks,compiled}/*.c host/software/*.c host/software/model/*.c; do
    "${flags[0]}" -I"$TMPDIR/next" "${flags[@]:1}" -fPIC -fvisibility=hidden -c "$file" -o "$TMPDIR/later/$(tr / - <<<"$file").o"
done
cd - >/dev/null
gcc -shared -Wl,-soname,libtulle.so.1 -Wl,--exclude-libs,ALL later/*.o "$BUILD/pic/host/software/c_text_sources.o" "$BUILD/host/libtulle-pic.a" -lOpenCL -ljansson -lyaml -pthread -lm \
    -o later/libtulle.so.1
ln -s libtulle.so.1 later/libtulle.so
build first-later first "$PWD/later"
runs first-later
build next-later next "$PWD/later" -DNEXT
runs next-later
for i in "${!names[@]}"; do
    runs next-later "$i" # it knows the field
done
