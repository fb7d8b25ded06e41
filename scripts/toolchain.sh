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
