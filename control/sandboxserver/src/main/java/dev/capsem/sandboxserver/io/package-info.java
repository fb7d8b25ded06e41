/// The port on which the sandbox-server API is served, if turned on. Entry type: [dev.capsem.sandboxserver.io.Gateway].
@NullMarked
package dev.capsem.sandboxserver.io;

import org.jspecify.annotations.NullMarked;
