/// Lowerings: one policy in, one artifact for one enforcement mechanism out.
///
/// Read [dev.capsem.policy.lowering.LoweringTarget] first; it lists the mechanisms. `BwrapTarget` is the model that the
/// others follow. Each lowering is pure, says for every entry of the policy how well it is kept
/// ([dev.capsem.policy.artifact.Coverage]) and never drops one in silence. Nothing here runs or opens anything.
@NullMarked
package dev.capsem.policy.lowering;

import org.jspecify.annotations.NullMarked;
