/// The service as commands see it. Entry type: `SandboxService`, a port, so that commands are tested without a service;
/// `ServiceConnection` is the real one.
@NullMarked
package dev.capsem.cli.client;

import org.jspecify.annotations.NullMarked;
