/// What can be wrong with a manifest and how it is said: codes, places, problems, and the one exception.
///
/// Read [dev.capsem.policy.diagnostic.CompilationError] first. Codes are a published contract: they are only ever
/// added to. Depends on `source.json` alone.
@NullMarked
package dev.capsem.policy.diagnostic;

import org.jspecify.annotations.NullMarked;
