/// Problems of a manifest: codes, places, messages, and the one exception.
///
/// Read [dev.capsem.policy.diagnostic.CompilationError] first. Codes are a published contract: they are only ever
/// added to. Depends on `source.json` alone.
@NullMarked
package dev.capsem.policy.diagnostic;

import org.jspecify.annotations.NullMarked;
