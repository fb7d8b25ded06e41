package dev.capsem.cli.capgate;

import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.lowering.LoweringTarget;

/// The help text.
final class Usage {
    private Usage() {}

    static String text() {
        return """
            capgate: compile MCP tool manifests into sandbox policies

            usage:
              capgate compile FILE|- [--target TARGET] [--egress-target EGRESS] [options]
              capgate check   FILE|- [--format text|json|sarif]
              capgate diff    OLD NEW [--format text|json|sarif]
              capgate explain FILE|- [--target TARGET]... [--format text|markdown|json]
              capgate verify  ARTIFACT MANIFEST [the options the artifact was compiled with]

            targets: %s
            egress targets: %s

            options of compile:
              --pretty                indent the JSON by two blanks
              --permissive            leave out kinds the target cannot lower, with a note, instead of failing
              --per-tool              one artifact per tool beside the union
              --coverage              add how well each capability is kept
              --raw                   print only what the enforcing program reads: config text or one flag a line
              --merge nested|union    keep nested grants nested (default), or flatten them into the outer one
              --param NAME=VALUE      bind a parameter; repeat for several, or for several values of type paths
              --validators FILE       JSON array of assertion ids that are verified; others fail (a final * is a prefix)
              --hardened              egress: close what the plain form leaves open
              --image IMAGE, --command WORDS, --user USER, --writable-rootfs
              --worker-heap-mb, --worker-young-mb, --worker-code-mb, --worker-stack-mb N

            defaults: --target bwrap, --egress-target squid
            exit codes: 0 success, 1 no command, 2 unknown arguments, 3 unreadable input, 4 compilation error,
              5 for review: check found an error, diff a widening, verify a difference""".formatted(LoweringTarget.words(), EgressKind.words());
    }
}
