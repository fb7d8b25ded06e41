/// The policy compiler: an MCP server's manifest in, a sandbox policy for one of many mechanisms out.
///
/// Read [dev.capsem.policy.Capgate] first. The steps are packages: `grammar` knows the capability strings, `manifest`
/// what declares them, `ir` the merged policy, `lowering` the targets (with `binds` and `egress`, which several of them
/// share, and `artifact`, which all give), `review` what a reviewer asks (lint, diff, coverage). It is a compiler: it
/// opens, starts and resolves nothing. Sees only `source`.
@NullMarked
package dev.capsem.policy;

import org.jspecify.annotations.NullMarked;
