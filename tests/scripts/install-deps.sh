#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/install-deps against stand-ins for dpkg-query, apt and sudo: what it asks for, prints and refuses.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

bin=$TMPDIR/bin
mkdir -p "$bin" "$TMPDIR/scripts"
cp "$TOP/scripts/install-deps" "$TOP/scripts/lib.sh" "$TMPDIR/scripts"
cat >"$TMPDIR/scripts/packages" <<'P'
# a comment
build  gcc            the compiler
run    sim>=5.006     simulation
check  form-14|form   layout
P

# tool NAME BODY: a stand-in; each call leaves a line in calls.
tool() {
    printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$TMPDIR" "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# dpkg-query and apt-cache answer from the files installed and archive: "package version" a line.
tool dpkg-query "awk -v p=\"\${!#}\" '\$1 == p { print \"installed\", \$2 }' $TMPDIR/installed"
tool apt-cache "awk -v p=\"\$2\" '\$1 == p { print \"  Candidate:\", \$2 }' $TMPDIR/archive"
tool apt-get ''
tool id "echo \${FAKE_ID:-0}"
for name in dpkg bash env awk sed tr sort head dirname cat; do
    ln -s "$(command -v "$name")" "$bin/$name"
done

# deps STATUS ARGUMENT...: with nothing on the PATH but the above.
deps() {
    local want=$1
    shift
    : >"$TMPDIR/calls"
    expect "$want" env PATH="$bin" FAKE_ID="${user:-0}" "$TMPDIR/scripts/install-deps" "$@"
}

called() {
    grep -q -e "$1" "$TMPDIR/calls" || fail "no call '$1' in: $(cat "$TMPDIR/calls")"
}

called_not() {
    ! grep -q -e "$1" "$TMPDIR/calls" || fail "unexpected call '$1' in: $(cat "$TMPDIR/calls")"
}

printf 'gcc 12.2\nsim 5.006-3\nform 18.0\n' >"$TMPDIR/installed"
printf 'gcc 12.2\nsim 5.032-1\nform 1:18.0\n' >"$TMPDIR/archive"

# Nothing missing: nothing said, nothing called, and any user may.
user=1000 deps 0 build run check
[[ ! -s $TMPDIR/output ]] || fail "said: $(cat "$TMPDIR/output")"
called_not apt
called_not sudo

# Only what is missing, of the groups that were asked for.
printf 'sim 5.006-3\n' >"$TMPDIR/installed"
deps 0 build run
says '^Missing: gcc$'
says '^Installing: gcc$'
called 'apt-get .* update$'
called 'apt-get .* install --no-install-recommends gcc$'

# Of alternatives the one that the archive has.
deps 0 check
says '^Installing: form$'
printf 'form-14 14.0\n' >>"$TMPDIR/archive"
deps 0 check
says '^Installing: form-14$'

# --dry-run installs nothing.
deps 1 --dry-run build
says '^Missing: gcc$'
called_not apt-get

# An old version counts as missing; an archive that has no newer one is an error that says so.
printf 'gcc 12.2\nsim 4.210-1\n' >"$TMPDIR/installed"
deps 0 run
says '^Installing: sim$'
printf 'sim 4.210-1\n' >"$TMPDIR/archive"
deps 1 run
says 'the package archive has no sim>=5.006 (it offers sim 4.210-1)'
called_not ' install '
: >"$TMPDIR/archive"
deps 1 run
says "the package archive has no sim>=5.006; on Ubuntu enable 'universe'"

# Not root and no sudo: the packages and the command are named. With sudo everything goes through it.
printf 'gcc 12.2\n' >"$TMPDIR/archive"
: >"$TMPDIR/installed"
user=1000 deps 1 build check
says 'not root and no sudo, and these packages are missing: gcc form-14'
says 'apt-get update && apt-get install --no-install-recommends gcc form-14'
called_not apt-get
# shellcheck disable=SC2016 # expands in the stand-in
tool sudo 'exec "$@"'
user=1000 deps 0 build
called 'sudo env apt-get .* update$'
called 'sudo env DEBIAN_FRONTEND=noninteractive apt-get .* install --no-install-recommends gcc$'

# A failing apt-get is a failure.
tool apt-get 'exit 100'
deps 100 build

# Another system, and wrong use.
rm "$bin/dpkg-query"
deps 1 build
says 'not a Debian or Ubuntu system .*gcc'
deps 2
deps 2 everything
says "no package group 'everything': there are build check run"
deps 2 --wrong build
deps 0 --help
