/// How fast the policy compiler is inside a running program.
///
/// Run [dev.capsem.bench.policy.PolicyBench]. The budget is 20 000 manifests a second, read, compiled and lowered,
/// and one second for a manifest of 10 000 capabilities.
@NullMarked
package dev.capsem.bench.policy;

import org.jspecify.annotations.NullMarked;
