/// Bearer tokens of the sandbox-server API: made here, kept only as hashes, compared in constant time. Entry type:
/// [dev.capsem.sandboxserver.tokens.TokenStore]. Knows nothing of HTTP.
@NullMarked
package dev.capsem.sandboxserver.tokens;

import org.jspecify.annotations.NullMarked;
