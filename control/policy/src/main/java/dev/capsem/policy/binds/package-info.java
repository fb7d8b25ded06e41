/// Which directories a sandbox must bind for the paths of a policy, and how well each bind keeps its path. Read
/// [dev.capsem.policy.binds.BindPlan] first. The same for every mechanism that binds.
@NullMarked
package dev.capsem.policy.binds;

import org.jspecify.annotations.NullMarked;
