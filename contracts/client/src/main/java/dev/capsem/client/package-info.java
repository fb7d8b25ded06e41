/// capsem-service as its clients see it. Entry type: `SandboxService`, a port, so that clients are tested without a
/// service; `io.ServiceClient` is the real one.
@NullMarked
package dev.capsem.client;

import org.jspecify.annotations.NullMarked;
