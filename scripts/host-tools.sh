# Sourced, not run: which programs of the host are missing, and how they come. Expects $root and scripts/toolchain.sh.
# shellcheck shell=sh

# Adds PACKAGE to $missing unless PROGRAM is there. Ordinary users often have no sbin folder on their PATH.
need() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] || missing="$missing $2"; }

links_statically() { printf 'int main(void){return 0;}' | "${CC:-cc}" -static -xc - -o /dev/null 2>/dev/null; }

# Sets $missing: packages needed to run (`run`), or to build and run (`build`).
find_missing() {
    missing=
    need bwrap bubblewrap
    need nft nftables
    [ "$1" = build ] || return 0
    need "${CC:-cc}" gcc
    need make make
    need mvn maven
    need setpriv util-linux
    links_statically || missing="$missing libc6-dev"
    # No distribution is as new as its users wish: where apt has no JDK 25, require_jdk says what to do.
    if ! find_jdk >/dev/null && apt-cache show openjdk-25-jdk-headless >/dev/null 2>&1; then
        missing="$missing openjdk-25-jdk-headless"
    fi
}

may_install() { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; }; }

# The one command that somebody with the rights can run.
install_command() { printf 'sudo apt-get install -y --no-install-recommends %s' "$*"; }

# Installs what find_missing found, or says what to type. Nothing is built before.
require_host_tools() {
    find_missing "$1"
    # Only sandboxes need bwrap; the packet filter is for those who may install it.
    case "$missing" in ' nftables') may_install || return 0 ;; esac
    if [ -n "$missing" ]; then
        # shellcheck disable=SC2086
        set -- "$1" $missing
        needed_for=$1
        shift
        command -v apt-get >/dev/null 2>&1 ||
            die "missing on this host: $*; install these with your package manager, then run the same command again"
        may_install || die "missing on this host: $*; run: $(install_command "$*")"
        install_packages "$@" || die "apt-get could not install $* (the lines above say why); run: $(install_command "$*")"
        find_missing "$needed_for"
        [ -z "$missing" ] || die "still missing after the installation:$missing; run: $(install_command "${missing# }")"
    fi
}

# Shows one line while apt-get works: how far it is. Answers whether all went well.
install_packages() {
    as_root=
    [ "$(id -u)" = 0 ] || as_root='sudo -n'
    apt_log=$(mktemp "${TMPDIR:-/tmp}/capsem-apt.XXXXXX")
    apt_status=$apt_log.status
    begun=$(date +%s)
    printf 'capsem: installing %s …' "$*" >&2
    # Without fresh lists an old package may be asked for that its server has no more; offline the lists at hand do.
    $as_root apt-get update >"$apt_log" 2>&1 </dev/null || true
    {
        if DEBIAN_FRONTEND=noninteractive $as_root apt-get -o APT::Status-Fd=1 install -y --no-install-recommends "$@" 2>&1 </dev/null; then
            echo 0 >"$apt_status"
        else
            echo 1 >"$apt_status"
        fi
    } | show_apt_progress "$*"
    result=$(cat "$apt_status")
    if [ "$result" = 0 ]; then
        printf ' done in %s s\n' "$(($(date +%s) - begun))" >&2
    else
        printf ' failed\n' >&2
        tail -n 5 "$apt_log" >&2
    fi
    rm -f "$apt_log" "$apt_status"
    return "$result"
}

# On a terminal the line is written again; elsewhere each quarter is added to it.
show_apt_progress() {
    shown=
    while IFS= read -r line; do
        case "$line" in
            dlstatus:*) doing=fetched ;;
            pmstatus:*) doing=installed ;;
            *) printf '%s\n' "$line" >>"$apt_log"; continue ;;
        esac
        percent=${line#*:*:}
        percent=${percent%%[.:]*}
        case "$percent" in '' | *[!0-9]*) continue ;; esac
        if [ -t 2 ]; then
            printf '\r\033[Kcapsem: installing %s … %s %s %%' "$1" "$doing" "$percent" >&2
        elif [ "$shown" != "$doing$((percent / 25))" ]; then
            shown=$doing$((percent / 25))
            printf ' %s %s %%' "$doing" "$percent" >&2
        fi
    done
}
