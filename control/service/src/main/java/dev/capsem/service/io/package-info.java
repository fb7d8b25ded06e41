/// The shell: Jetty in front of the route table, IPC connections behind the sandboxes, the lock that keeps a second
/// service away. Entry types: [dev.capsem.service.io.HttpServer] and [dev.capsem.service.io.IpcDoor].
@NullMarked
package dev.capsem.service.io;

import org.jspecify.annotations.NullMarked;
