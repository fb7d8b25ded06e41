/// SQL that somebody else wrote, asked of a session's database: read-only, one statement, bounded in time, memory,
/// rows and bytes. Entry type: [dev.capsem.telemetry.inspect.Inspector]. Nothing that it is given can change a file,
/// reach another one, or keep the program busy for longer than its limits say.
@NullMarked
package dev.capsem.telemetry.inspect;

import org.jspecify.annotations.NullMarked;
