#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make install: what is there, that programs in C and C++ find it with pkg-config and CMake wherever the tree is moved to,
# that they run on the installed driver, and that make uninstall leaves nothing.

# shellcheck source=tests/host_lib/lib.sh
source "$TOP/tests/host_lib/lib.sh"
plain_build
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config" && exit 77; }
# Nothing of the machine's comes in.
unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR DESTDIR PREFIX ICD_DIR CMAKE_PREFIX_PATH CPATH LIBRARY_PATH
version=$(sed -n 's/^#define TULLE_VERSION "\(.*\)"/\1/p' "$TOP/gen/version.h")

# The flags that the build was made with: it is installed as it is.
project() {
    env -u MAKEFLAGS -u MFLAGS make -C "$TOP" -s BUILD="$BUILD" FLAGS="$(cat "$BUILD/flags")" "$@" >made 2>&1 ||
        fail "make $*: $(cat made)"
}

# ---- what is there, for a package

stage=$PWD/stage
(umask 077 && project install DESTDIR="$stage" PREFIX=/opt/tulle ICD_DIR=/etc/OpenCL/vendors)
[[ ! -s made ]] || fail "make install is not silent with -s, or built something: $(cat made)"
[[ $BUILD/lib/libtulle.so.1 -ot $stage ]] || fail "make install built the library again"
(cd "$stage" && find . ! -type d | sort) >there
{
    printf './opt/tulle/bin/%s\n' tulle tulle-asm tulle-gen tulle-pci-bind
    printf './opt/tulle/include/%s\n' tulle.h tulle_cl.h
    printf './opt/tulle/lib/%s\n' libtulle-icd.so libtulle.a libtulle.so libtulle.so.1 "libtulle.so.$version" \
        pkgconfig/tulle.pc cmake/tulle/tulleConfig.cmake cmake/tulle/tulleConfigVersion.cmake
    declared | sed 's|.*|./opt/tulle/share/man/man3/&.3|'
    printf './opt/tulle/share/bash-completion/completions/%s\n' tulle tulle-asm tulle-gen tulle-pci-bind
    printf './opt/tulle/share/doc/tulle/examples/%s\n' network.c network.cpp offload.c
    printf './opt/tulle/share/man/man1/%s.1\n' tulle-asm tulle-gen
    (cd "$MAN" && printf '%s\n' *.[1-9]) | sed 's|.*\.\([1-9]\)$|./opt/tulle/share/man/man\1/&|'
    echo ./etc/OpenCL/vendors/tulle.icd
} | sort -u | diff - there || fail "files: wanted (<), there (>)"
[[ $(cat "$stage/etc/OpenCL/vendors/tulle.icd") == /opt/tulle/lib/libtulle-icd.so ]] ||
    fail "tulle.icd: $(cat "$stage/etc/OpenCL/vendors/tulle.icd")"
find "$stage" -mindepth 1 ! -type l ! -perm -444 -o -type d ! -perm -555 >closed
[[ ! -s closed ]] || fail "not for all to read: $(cat closed)"
! grep -rlF -e "$TMPDIR" -e "$TOP" "$stage/opt/tulle/"{include,lib/pkgconfig,lib/cmake,share} || fail "these have a path of this machine"

! grep -r '@[A-Z]*@' "$stage/opt/tulle/lib/"{pkgconfig,cmake} || fail "these were not filled in"
soname=$(readelf -d "$LIBRARY" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
grep -q "IMPORTED_SONAME \"$soname\"" "$stage/opt/tulle/lib/cmake/tulle/tulleConfig.cmake" ||
    fail "tulleConfig.cmake has another soname than $soname"

# A page of another name leads to one that there is, with this name in it.
for page in "$stage"/opt/tulle/share/man/man3/*; do
    name=${page##*/}
    name=${name%.3}
    to=$(sed -n 's/^\.so //p' "$page")
    sed -n '/^\.Nd/q; /^\.Nm/p' "$stage/opt/tulle/share/man/${to:-man3/$name.3}" >names
    grep -q "^.Nm $name\( \|\$\)" names || [[ -z $to ]] || fail "the page of $name leads to one without it: $to"
done

# ---- moved elsewhere: programs

tree=$PWD/moved/there
mkdir moved
mv "$stage/opt/tulle" "$tree"
export PKG_CONFIG_PATH=$tree/lib/pkgconfig
export OCL_ICD_VENDORS=$tree/lib/libtulle-icd.so TULLE_DEVICES=model:tiny

# The first program of docs/libtulle.md, which also says what it runs on.
awk '/^```c$/ { on = 1; next } /^```$/ && on { exit } on' "$TOP/docs/libtulle.md" >first.c
sed 's|^\( *\)return wrong;|\1puts(tulle_version());\n&|' first.c >user.c
printf ' 11  14\n 21  24\n 19  28\n%s\n' "$version" >wanted
# And one in C++, as old as the header allows.
cat >user.cpp <<'P'
#include <cstdio>
#include <tulle.h>

int main()
{
    const int8_t dense[] = {1, 0, 2, 0, 0, 0, 0, 3, 4, 5, 0, 0}, b[] = {1, 2, 3, 4, 5, 6, 7, 8};
    int32_t c[6];
    struct tulle_matrix sparse = tulle_matrix(), input = tulle_matrix();
    sparse.size = input.size = sizeof sparse;
    sparse.rows = 3;
    sparse.columns = input.rows = 4;
    input.columns = 2;
    sparse.values = dense;
    input.values = b;
    struct tulle_operator_options options = tulle_operator_options();
    options.size = sizeof options;
    options.operation = TULLE_SPMM_LEFT;
    options.matrix = &sparse;
    options.dense = 2;
    options.output_type = TULLE_INT32;
    struct tulle_output output = tulle_output();
    output.size = sizeof output;
    output.type = TULLE_INT32;
    output.values = c;
    struct tulle_operands operands = tulle_operands();
    operands.size = sizeof operands;
    operands.input = &input;
    operands.output = &output;
    struct tulle_device *device = nullptr;
    struct tulle_operator *op = nullptr;
    struct tulle_run *run = nullptr;
    enum tulle_status status = tulle_device_open(nullptr, nullptr, &device);
    if (!status)
        status = tulle_operator_create(device, &options, &op);
    if (!status)
        status = tulle_start(op, &operands, &run);
    if (!status)
        status = tulle_wait(run, 10000, nullptr);
    for (int row = 0; row < 3 && !status; row++)
        std::printf("%3d %3d\n", c[2 * row], c[2 * row + 1]);
    tulle_run_free(run);
    tulle_operator_free(op);
    tulle_device_close(device);
    std::puts(tulle_version());
    return status;
}
P

# Each with warnings as errors, and the header first of all and alone.
warnings=(-Wall -Wextra -pedantic -Werror)
for standard in c99 c11; do
    echo '#include <tulle.h>' | gcc -std=$standard "${warnings[@]}" -Wstrict-prototypes -Wshadow -fsyntax-only -I"$tree/include" -x c - ||
        fail "the header in $standard"
done
for standard in c++11 c++20; do
    echo '#include <tulle.h>' | g++ -std=$standard "${warnings[@]}" -Wshadow -fsyntax-only -I"$tree/include" -x c++ - ||
        fail "the header in $standard"
done

# ran PROGRAM SHARED: it prints what it must; the shared library is the tree's, or there is none.
ran() {
    LD_LIBRARY_PATH=$tree/lib timeout 60 "$1" >out 2>err </dev/null || fail "$1: exit status $?: $(cat err)"
    diff wanted out || fail "$1: wanted (<), printed (>)"
    LD_LIBRARY_PATH=$tree/lib ldd "$1" | awk '/libtulle/ { print $3 }' >libraries
    [[ $(cat libraries) == "$2" ]] || fail "$1 is linked with '$(cat libraries)', not '$2'"
}

[[ $(pkg-config --modversion tulle) == "$version" ]] || fail "pkg-config: version $(pkg-config --modversion tulle)"
read -ra shared < <(pkg-config --cflags --libs tulle)
read -ra static < <(pkg-config --static --cflags --libs tulle | sed 's/-ltulle/-l:libtulle.a/')
[[ " ${shared[*]} " != *" -lOpenCL "* ]] || fail "linking with the shared library asks for the loader: ${shared[*]}"
build_c user.c "${shared[@]}" -o c-shared
build_c user.c "${static[@]}" -o c-static
g++ -std=c++11 "${warnings[@]}" user.cpp "${shared[@]}" -o cpp-shared
g++ -std=c++11 "${warnings[@]}" user.cpp "${static[@]}" -o cpp-static
for program in c cpp; do
    ran ./$program-shared "$tree/lib/libtulle.so.1"
    ran ./$program-static ''
done

# ---- commands

"$tree/bin/tulle" devices >out
grep -q '^model:tiny .*variant tiny' out || fail "the installed tulle finds no device: $(cat out)"
# Its boards: a container without a simulated device in it tells that it was found.
mkdir -p "$tree/share/tulle/board"
"$tree/bin/tulle" pack --model tiny -o "$tree/share/tulle/board/some"
PATH=$tree/bin:$PATH tulle devices sim:some,model:tiny >out
grep -q '^sim:some .*no simulated device' out || fail "share/tulle/board is not looked at: $(cat out)"
"$tree/bin/tulle-gen" tiny -o variant >/dev/null
[[ -s variant/rtl/tulle_top.v ]] || fail "the installed tulle-gen emits nothing"

# Each has a page, where mandoc finds nothing but that those made of --help have no date, and bash completes its options.
for command in "$tree"/bin/*; do
    name=${command##*/}
    page=$(find "$tree/share/man" -name "$name.[18]")
    [[ -s $page ]] || fail "no page of $name"
    ! command -v mandoc >/dev/null || ! mandoc -Tlint -W warning "$page" | grep -v 'missing date' || fail "$page: see above"
    # shellcheck disable=SC1090 # made
    [[ $(source "$tree/share/bash-completion/completions/$name" && complete -p "$name") == "complete -o default -F "*" $name" ]] ||
        fail "no completion of $name"
done
# offered WORD...: what bash offers for the last word.
offered() {
    # shellcheck disable=SC1090,SC2034 # made; it reads these
    (
        source "$tree/share/bash-completion/completions/$1"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "_${1//-/_}"
        echo "${COMPREPLY[*]}"
    )
}
completes() {
    local wanted=$1
    shift
    [[ $(offered "$@") == "$wanted" ]] || fail "completion of '$*' is '$(offered "$@")', not '$wanted'"
}
completes 'compile convert' tulle c
completes 'spmm spmv' tulle run sp
completes '--weights --weights-layout --wraps' tulle run spmm --w
completes '' tulle run --weights ''
completes 'tiny' tulle pack --model t
completes 'odd' tulle-gen o
completes '--isa-doc --isa-headers' tulle-gen --isa
completes '--disassemble' tulle-asm --di
completes 'bind' tulle-pci-bind b
# Every option that --help has at the beginning of a line is offered.
for command in run explain convert devices pack inspect; do
    "$tree/bin/tulle" "$command" --help | sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' >options
    (($(wc -l <options) >= 2)) || fail "tulle $command --help has no options"
    while read -r option; do
        [[ " $(offered tulle "$command" "--$option") " == *" --$option "* ]] || fail "tulle $command --$option is not offered"
    done <options
done

# Networks: the same program in C and C++, on a stream of two inputs and with a result inside the network.
cat >net.prototxt <<'P'
input: 'data' input_dim: 1 input_dim: 1 input_dim: 2 input_dim: 2
layer { name: 'twice' type: 'Power' bottom: 'data' top: 'twice' power_param { scale: 2 } }
layer { name: 'less' type: 'Power' bottom: 'twice' top: 'less' power_param { scale: -1 shift: 1 } }
P
printf '\0\0\200\77\0\0\200\277\0\0\40\101\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\300' >inputs.raw # 1, -1, 10, 0; 0, 0, 0, -4
printf '%s\n' '1, and up to 20 in twice' '3, and up to 0 in twice' >wanted-network
build_c "$tree/share/doc/tulle/examples/network.c" "${shared[@]}" -o network-c
g++ -std=c++17 "${warnings[@]}" "$tree/share/doc/tulle/examples/network.cpp" "${shared[@]}" -o network-cpp
for program in network-c network-cpp; do
    for device in '' model:tiny; do
        LD_LIBRARY_PATH=$tree/lib timeout 60 "./$program" net.prototxt twice ${device:+"$device"} <inputs.raw >out 2>err ||
            fail "$program: exit status $?: $(cat err)"
        diff wanted-network out || fail "$program: wanted (<), printed (>)"
    done
    status=0
    LD_LIBRARY_PATH=$tree/lib "./$program" net.prototxt nothing <inputs.raw >out 2>err || status=$?
    ((status == 1)) || fail "$program with a layer that is not there: exit status $status"
    grep -q '^network: error: invalid argument: .*external output "nothing"' err || fail "$program says: $(cat err)"
done

# The example, as it says: with the library, on the device there is and on the one that is named.
build_c "$tree/share/doc/tulle/examples/offload.c" "${shared[@]}" -o offload
for device in '' model:tiny; do
    LD_LIBRARY_PATH=$tree/lib timeout 60 ./offload ${device:+"$device"} >out 2>err || fail "offload: exit status $?: $(cat err)"
    (($(grep -c '^Sp[MV][MV]: .*every result is right; [1-9]' out) == 2)) || fail "offload: $(cat out)"
done
status=0
LD_LIBRARY_PATH=$tree/lib ./offload nosuch >out 2>err || status=$?
((status == 1)) || fail "offload on a device that is not there: exit status $status"
grep -q 'error: device: no such device: .*nosuch' err || fail "offload says: $(cat err)"

# ---- in place, by a file for the loader; and away again

real=$PWD/real
project install PREFIX="$real" ICD_DIR="$real-vendors"
LD_LIBRARY_PATH=$real/lib OCL_ICD_VENDORS=$real-vendors timeout 60 ./c-shared >out || fail "with tulle.icd: exit status $?"
diff wanted out || fail "with tulle.icd: wanted (<), printed (>)"
echo kept >"$real/lib/other"
project uninstall PREFIX="$real" ICD_DIR="$real-vendors"
find "$real" "$real-vendors" ! -type d >left
[[ $(cat left) == "$real/lib/other" ]] || fail "make uninstall leaves, or takes, what is not its own: $(cat left)"
[[ ! -e $real/lib/cmake/tulle ]] || fail "make uninstall leaves lib/cmake/tulle"
project install PREFIX="$real"
[[ ! -e $real-vendors/tulle.icd ]] || fail "a tulle.icd that nobody asked for"

# ---- CMake

command -v cmake >/dev/null || {
    echo "skipped: cmake is not installed; all else about the installed tree was as it must be"
    exit 77
}
mkdir cmake
cp user.c user.cpp cmake
cat >cmake/CMakeLists.txt <<P
cmake_minimum_required(VERSION 3.13)
project(user C CXX)
set(CMAKE_CXX_STANDARD 11)
find_package(tulle ${version%.*} REQUIRED COMPONENTS shared static)
foreach(kind shared static)
    add_executable(c-\${kind} user.c)
    add_executable(cpp-\${kind} user.cpp)
endforeach()
target_link_libraries(c-shared tulle::tulle)
target_link_libraries(cpp-shared tulle::tulle)
target_link_libraries(c-static tulle::tulle-static)
target_link_libraries(cpp-static tulle::tulle-static)
find_package(tulle 99 QUIET)
if(tulle_FOUND)
    message(FATAL_ERROR "tulle ${version} is taken for 99")
endif()
find_package(tulle QUIET COMPONENTS nonsense)
if(tulle_FOUND)
    message(FATAL_ERROR "tulle has a component nonsense")
endif()
P
cmake -S cmake -B cmake/build -DCMAKE_PREFIX_PATH="$tree" >out 2>&1 || fail "cmake: $(cat out)"
cmake --build cmake/build >out 2>&1 || fail "cmake --build: $(cat out)"
for program in c cpp; do
    ran cmake/build/$program-shared "$tree/lib/libtulle.so.1"
    ran cmake/build/$program-static ''
done

# Without what static linking needs the shared library is there all the same, and the message says what is missing.
cat >cmake/CMakeLists.txt <<'P'
cmake_minimum_required(VERSION 3.13)
project(user C)
set(CMAKE_FIND_LIBRARY_PREFIXES no-)
find_package(tulle REQUIRED)
add_executable(user user.c)
target_link_libraries(user tulle::tulle)
if(TARGET tulle::tulle-static)
    message(FATAL_ERROR "a static target without its libraries")
endif()
find_package(tulle REQUIRED COMPONENTS static)
P
status=0
cmake -S cmake -B cmake/less -DCMAKE_PREFIX_PATH="$tree" >out 2>&1 || status=$?
((status != 0)) || fail "cmake: static linking without libraries is no error"
tr -s '\n ' ' ' <out | grep -q 'static linking with tulle needs libraries that were not found: OpenCL;jansson;yaml' ||
    fail "cmake says: $(cat out)"
