/// Signatures of corp payloads, in minisign's format: `Minisign` verifies, `SigningKey` signs. Ed25519 is the
/// JDK's, BLAKE2b our own (RFC 7693). Bytes in, yes or no out; no IO.
@NullMarked
package dev.capsem.profiles.corp;

import org.jspecify.annotations.NullMarked;
