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

# make_base SUITE: into $CACHE/SUITE.tar. debootstrap mounts, too.
make_base() {
    local tarball=$CACHE/$1.tar work
    work=$(mktemp -d "$CACHE/$1-base.XXXXXX")
    unshare --mount --propagation private debootstrap --variant=minbase "$1" "$work" "$(mirror)" \
        >"$CACHE/$1-debootstrap.log" 2>&1 || return 1
    tar -C "$work" --one-file-system --numeric-owner -cf "$tarball.part" .
    mv "$tarball.part" "$tarball"
    rm -rf --one-file-system "$work"
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
