/// The host's end of the guest protocol: many commands over three connections, with credits. Entry type:
/// `AgentSession`. The guest is hostile: whatever breaks the protocol ends the sandbox. Knows nothing of the
/// service, databases or sockets; it gets connected channels.
@NullMarked
package dev.capsem.process.guest;

import org.jspecify.annotations.NullMarked;
