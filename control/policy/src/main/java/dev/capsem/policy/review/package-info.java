/// A reviewer's questions about a manifest: is it risky (lint), did it grow (diff), who keeps it (coverage).
///
/// Read [dev.capsem.policy.review.Lint] and [dev.capsem.policy.review.PolicyDiff] first. Results are values;
/// [dev.capsem.policy.review.Sarif] gives them the form that code-review tools show. Depends on the compiler's other
/// packages and grants nothing.
@NullMarked
package dev.capsem.policy.review;

import org.jspecify.annotations.NullMarked;
