/// One guest's connection: frames in and out (`GuestConnection`), the client behind it (`GuestSession`), and what its
/// calls ask of the backend (`Dispatch`). Everything passes the `Referee`.
@NullMarked
package dev.capsem.mcp.connection;

import org.jspecify.annotations.NullMarked;
