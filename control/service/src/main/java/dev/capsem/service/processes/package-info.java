/// The capsem-processes of sandboxes, and the spare ones. Entry type: [dev.capsem.service.processes.Instances]. Reaches
/// them only through the ports [dev.capsem.service.processes.ProcessConnector] and
/// [dev.capsem.service.processes.ProcessStarter], so that all of it runs in tests without a socket or a child.
@NullMarked
package dev.capsem.service.processes;

import org.jspecify.annotations.NullMarked;
