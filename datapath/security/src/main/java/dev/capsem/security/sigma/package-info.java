/// Detections: Sigma rules in YAML, compiled to the predicates that conditions use. Entry types:
/// `SigmaReader` and `Detection`. They yield findings and never a decision.
@NullMarked
package dev.capsem.security.sigma;

import org.jspecify.annotations.NullMarked;
