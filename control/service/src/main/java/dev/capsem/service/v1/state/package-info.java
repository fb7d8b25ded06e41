/// What the sandbox-server API must remember beyond a restart: small JSON documents, each private and replaced as a
/// whole. Entry type: [dev.capsem.service.v1.state.StateFile].
@NullMarked
package dev.capsem.service.v1.state;

import org.jspecify.annotations.NullMarked;
