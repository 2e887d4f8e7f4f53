# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Minimal Debian systems beside this one: what the scripts that need another release share. Sourced after lib.sh.
# They are kept in CACHE.

CACHE=${TULLE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tulle}

# mirror: the Debian archive of this machine's apt.
mirror() {
    # shellcheck disable=SC2016 # apt-get expands it
    local uri='$(REPO_URI)'
    if [[ -n ${MIRROR-} ]]; then
        echo "$MIRROR"
        return
    fi
    apt-get indextargets --format "$uri" 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' |
        awk 'NR == 1 { uri = $0 } END { if (uri == "") exit 1; print uri }' ||
        die "apt here has no index of a Debian archive: run apt-get update, or set MIRROR"
}

# make_base SUITE [SCRIPT]: into $CACHE/SUITE.tar. debootstrap mounts, too. SCRIPT: of debootstrap, for a suite that it
# does not know by name yet.
make_base() {
    local tarball=$CACHE/$1.tar work
    work=$(mktemp -d "$CACHE/$1-base.XXXXXX")
    unshare --mount --propagation private debootstrap --variant=minbase "$1" "$work" "$(mirror)" "${@:2}" \
        >"$CACHE/$1-debootstrap.log" 2>&1 || return 1
    tar -C "$work" --one-file-system --numeric-owner -cf "$tarball.part" .
    mv "$tarball.part" "$tarball"
    rm -rf --one-file-system "$work"
}

# skip TEXT: ends the script as skipped.
skip() {
    echo "skipped: $*"
    exit 77
}

# keep_system SUITE NAME WHAT FILE PACKAGE...: the minimal system $CACHE/SUITE-NAME, which has these packages, and
# FILE, or it is made; skips when it cannot be. WHAT: why it is needed. `complete_system ROOT`, where the script has it,
# adds the rest. Another run of the script may be making it, too.
keep_system() {
    local suite=$1 name=$2 what=$3 file=$4 lock work
    local root=$CACHE/$suite-$name
    shift 4
    [[ $(id -u) == 0 ]] || skip "no $what here, and only root can make a Debian that has it"
    command -v debootstrap >/dev/null || skip "no $what here, and no debootstrap to make a Debian that has it"
    mkdir -p "$CACHE"
    exec {lock}>"$CACHE/$name.lock"
    flock "$lock"
    if [[ ! -e $root/$file ]]; then
        [[ -e $CACHE/$suite.tar ]] || make_base "$suite" sid || skip "debootstrap failed, see $CACHE/$suite-debootstrap.log"
        work=$(mktemp -d "$CACHE/$name-system.XXXXXX")
        tar -C "$work" --numeric-owner -xf "$CACHE/$suite.tar"
        share_network "$work"
        { inside "$work" apt-get -q update &&
            inside "$work" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@" &&
            { ! declare -F complete_system >/dev/null || complete_system "$work"; }; } >"$CACHE/$name.log" 2>&1 ||
            { rm -rf --one-file-system "$work" && skip "no $what from the archive, see $CACHE/$name.log"; }
        rm -rf --one-file-system "$root"
        mv "$work" "$root"
    fi
    flock -u "$lock"
}

# keep_package SUITE PACKAGE WHAT: sets KEPT to a folder with the unpacked package in it, which apt fetches from another
# release without root; skips when it cannot. Another run of the script may be fetching it, too.
keep_package() {
    local suite=$1 package=$2 lock work
    KEPT=$CACHE/$suite-$package
    mkdir -p "$CACHE"
    exec {lock}>"$KEPT.lock"
    flock "$lock"
    if [[ ! -d $KEPT ]]; then
        command -v apt-get >/dev/null || skip "no $3 here, and no apt to fetch it with"
        work=$(mktemp -d "$CACHE/$package.XXXXXX")
        fetch_package "$suite" "$package" "$work" >"$KEPT.log" 2>&1 ||
            { rm -rf "$work" && skip "no $3 from the archive, see $KEPT.log"; }
        mv "$work/root" "$KEPT"
        rm -rf "$work"
    fi
    flock -u "$lock"
}

# fetch_package SUITE PACKAGE FOLDER: unpacks it into FOLDER/root. An index of its own, checked with the machine's keys.
fetch_package() {
    local uri options
    uri=$(mirror)
    mkdir -p "$3"/{lists,cache/archives}/partial "$3/root"
    echo "deb $uri $1 main" >"$3/sources.list"
    options=(-q -o "Dir::Etc::sourcelist=$3/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$3/lists"
        -o "Dir::Cache=$3/cache" -o Acquire::Languages=none -o APT::Sandbox::User=
        -o APT::Update::Post-Invoke= -o APT::Update::Post-Invoke-Success=)
    apt-get "${options[@]}" update && (cd "$3" && apt-get "${options[@]}" download "$2") && dpkg-deb -x "$3"/*.deb "$3/root"
}

# inside_with ROOT FOLDER COMMAND...: in the system, with /proc, in the folder, which is /work there.
inside_with() {
    # shellcheck disable=SC2016 # expands in there
    unshare --mount --propagation private bash -c 'mount -t proc proc "$1/proc" && mkdir -p "$1/work" &&
        mount --bind "$2" "$1/work" && root=$1 && shift 2 && exec chroot "$root" env -i -C /work PATH=/usr/bin:/bin "$@"' \
        - "$@"
}

# share_network ROOT: gives the system what an installed one has of its host's network.
share_network() {
    local name
    for name in resolv.conf hosts; do
        cp -L "/etc/$name" "$1/etc/$name"
    done
    for name in http https Retries Check-Valid-Until Check-Date; do
        apt-config dump "Acquire::$name"
    done >"$1/etc/apt/apt.conf.d/99host"
}

# inside ROOT COMMAND...: in the system, with a bare environment.
inside() {
    local root=$1 name settings=()
    shift
    for name in http_proxy https_proxy no_proxy; do
        [[ -z ${!name-} ]] || settings+=("$name=${!name}")
    done
    chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/opt \
        "${settings[@]}" "$@"
}
