/// The hash chain over the rows of a session.db. Entry type: `ChainVerifier` (has anybody changed it?). `SealBuffer`
/// is what a row's hash is made of; `Losses` is how gap rows tell what is missing. Sees only the root package.
@NullMarked
package dev.capsem.telemetry.chain;

import org.jspecify.annotations.NullMarked;
