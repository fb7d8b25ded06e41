/// The normalized policy between the grammar and the targets: what a server may touch, merged, closed and ordered.
///
/// Read [dev.capsem.policy.ir.Policy] first; [dev.capsem.policy.ir.Normalizer] makes one from grants. A policy says
/// nothing about how it is enforced. Depends on `manifest`, `grammar`, `diagnostic` and `json`.
@NullMarked
package dev.capsem.policy.ir;

import org.jspecify.annotations.NullMarked;
