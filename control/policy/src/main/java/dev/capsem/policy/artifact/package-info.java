/// Result of every lowering: [dev.capsem.policy.artifact.Artifact], the text for a mechanism, with notes and a row of
/// coverage for each entry of the policy. Knows no mechanism.
@NullMarked
package dev.capsem.policy.artifact;

import org.jspecify.annotations.NullMarked;
