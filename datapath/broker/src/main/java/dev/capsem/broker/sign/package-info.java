/// Signatures that a request carries in place of its secret. Entry type: [SigV4]. Sees `events` only: a key is bytes
/// here, and nothing of the broker is known.
@NullMarked
package dev.capsem.broker.sign;

import org.jspecify.annotations.NullMarked;
