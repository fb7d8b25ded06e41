/// IPC connections to the processes of sandboxes. Entry type: [dev.capsem.service.io.IpcConnector].
@NullMarked
package dev.capsem.service.io;

import org.jspecify.annotations.NullMarked;
