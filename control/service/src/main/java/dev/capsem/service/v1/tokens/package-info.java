/// Bearer tokens of the sandbox-server API: made here, kept only as hashes, compared in constant time. Entry type:
/// [dev.capsem.service.v1.tokens.TokenStore]. Knows nothing of HTTP.
@NullMarked
package dev.capsem.service.v1.tokens;

import org.jspecify.annotations.NullMarked;
