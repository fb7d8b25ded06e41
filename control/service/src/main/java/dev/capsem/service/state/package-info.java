/// State that survives a restart: small JSON documents, each private and replaced as a
/// whole. Entry type: [dev.capsem.service.state.StateFile].
@NullMarked
package dev.capsem.service.state;

import org.jspecify.annotations.NullMarked;
