# Sourced, not run: where the JDK and Maven are, and whether dist/ is current. Expects $root.
# shellcheck shell=sh

die() { printf 'capsem: %s\n' "$*" >&2; exit 125; }

is_jdk_25() { [ -x "$1/bin/javac" ] && grep -q '^JAVA_VERSION="25' "$1/release" 2>/dev/null; }

# Prints the first JDK 25 among CAPSEM_JAVA_HOME, JAVA_HOME, the java on PATH, and the usual folders.
find_jdk() {
    on_path=$(command -v javac 2>/dev/null) && on_path=$(dirname -- "$(dirname -- "$(readlink -f -- "$on_path")")") || on_path=
    for candidate in "${CAPSEM_JAVA_HOME-}" "${JAVA_HOME-}" "$on_path" /usr/lib/jvm/*25* /usr/local/*jdk*25* /opt/*jdk*25* \
        "$HOME"/.sdkman/candidates/java/25* "$HOME"/.jdks/*25*; do
        if [ -n "$candidate" ] && is_jdk_25 "$candidate"; then printf '%s\n' "$candidate"; return 0; fi
    done
    return 1
}

require_jdk() {
    JAVA_HOME=$(find_jdk) || die "no JDK 25 found (looked at CAPSEM_JAVA_HOME, JAVA_HOME, PATH, /usr/lib/jvm, /opt, ~/.sdkman); install one (for example the package temurin-25-jdk or openjdk-25-jdk-headless) or set CAPSEM_JAVA_HOME"
    export JAVA_HOME
}

require_maven() {
    command -v mvn >/dev/null 2>&1 || die "Maven (mvn, 3.8 or newer) is not on PATH; install the package maven, or run ./capsem setup"
}

require_c_compiler() {
    command -v "${CC:-cc}" >/dev/null 2>&1 || die "no C compiler (cc) on PATH; the guest agent is static C: install gcc and libc6-dev, or run ./capsem setup"
    command -v make >/dev/null 2>&1 || die "make is not on PATH; install the package make, or run ./capsem setup"
}

# True when something below a source folder is newer than the last build (a deleted file shows as a newer folder).
sources_changed() {
    [ -f "$root/dist/.stamp" ] || return 0
    [ -n "$(cd "$root" && find pom.xml scripts contracts control datapath front guest config testing/bench \
        \( -name target -o -name build -o -name test \) -prune -o -newer dist/.stamp -print 2>/dev/null | head -n 1)" ]
}

# What asks for the shape of the code, beside the formatter and the linters.
shape_tests='ArchitectureTest,DocumentsTest,GateTest,RingsTest,TidyTest'

programs_with_cache='capsem capgate capsem-mcp mitos-mcp capsem-service capsem-process capsem-mcp-aggregator capsem-mcp-builtin'

# What start-up caches depend on beside the jars: a JVM takes no cache of another JVM or of another place, and says nothing about it.
cache_conditions() {
    printf 'dist=%s\njava=%s\nruntime=%s\n' "$1" "$JAVA_HOME" "$(sed -n 's/^JAVA_RUNTIME_VERSION="\(.*\)"$/\1/p' "$JAVA_HOME/release")"
}

can_run_sandboxes() {
    command -v bwrap >/dev/null 2>&1 || return 1
    probe_folder=$(mktemp -d "${TMPDIR:-/tmp}/capsem-probe.XXXXXX")
    probed=0
    "$1/libexec/capsem-launch" probe "$probe_folder" >/dev/null 2>&1 || probed=1
    "$1/libexec/capsem-launch" as-root -- rm -rf "$probe_folder" 2>/dev/null || rm -rf "$probe_folder"
    return "$probed"
}

# False when the caches should be made again here and now. A folder that is somebody else's is left alone; `capsem status` tells.
caches_are_current() {
    caches=$root/dist/aot
    [ -w "$caches" ] || return 0
    JAVA_HOME=$(find_jdk) || return 0
    [ "$(cat "$caches/made-for" 2>/dev/null)" = "$(cache_conditions "$root/dist")" ] || return 1
    [ -z "$(find "$root/dist/lib" -newer "$caches/made-for" 2>/dev/null | head -n 1)" ] || return 1
    for program in $programs_with_cache; do
        [ -s "$caches/$program.aot" ] && continue
        # A reason that is on record is tried again only when it may have gone: sandboxes start now.
        grep -q "^$program: " "$caches/missing" 2>/dev/null || return 1
        if grep -q '^sandboxes: ' "$caches/missing" && can_run_sandboxes "$root/dist"; then return 1; fi
    done
}
