#!/bin/sh
# Runs the tests of the guest programs; called by `make check`. Says what it skips and why.
set -eu

skip() {
    echo "SKIPPED $1: $2"
}

echo "== decoder against the shared vectors"
"$BUILD/test/test_protocol" "$VECTORS"

echo "== decoder against pseudo-random bytes (address and undefined-behaviour sanitizers)"
# A fresh seed each time; the program prints it, and takes it as its second argument.
"$BUILD/test/fuzz_protocol" "$FUZZ_INPUTS" "$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')"

echo "== the MCP relay against a host of the test's own"
"$BUILD/test/test_mcp"

echo "== the same test under valgrind"
if command -v valgrind >/dev/null 2>&1; then
    valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=all \
        "$BUILD/test/test_protocol" "$VECTORS"
else
    skip valgrind "not installed (apt-get install valgrind)"
fi

echo "== the agent under bwrap"
if ! command -v bwrap >/dev/null 2>&1; then
    skip "the agent under bwrap" "bwrap is not installed (apt-get install bubblewrap)"
elif ! bwrap --unshare-user --unshare-net --ro-bind / / true 2>/dev/null; then
    skip "the agent under bwrap" "this user may not make user namespaces (sysctl user.max_user_namespaces)"
elif ! command -v curl >/dev/null 2>&1; then
    skip "the agent under bwrap" "curl is not installed (apt-get install curl)"
else
    # An ordinary user must be able to read the programs, wherever the tree lies.
    programs=$(mktemp -d /tmp/capsem-agent-programs-XXXXXX)
    trap 'rm -rf "$programs"' EXIT
    cp "$BUILD/capsem-agent" "$BUILD/test/probe" "$programs"
    chmod 755 "$programs" "$programs"/*
    "$BUILD/test/test_agent" "$programs/capsem-agent" "$programs/probe"
    [ "$(id -u)" -eq 0 ] || skip "the agent under bwrap as root" "not root"
fi
echo "== all checks passed"
