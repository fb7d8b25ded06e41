/// State of the sandbox-server API that survives a restart: small JSON documents, each private and replaced as a
/// whole. Entry type: [dev.capsem.sandboxserver.state.StateFile].
@NullMarked
package dev.capsem.sandboxserver.state;

import org.jspecify.annotations.NullMarked;
