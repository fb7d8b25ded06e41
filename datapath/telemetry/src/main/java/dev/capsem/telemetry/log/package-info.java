/// service.log and process.log: JSON lines through slf4j and logback, set up by code. Entry type: `ProgramLog`. Guests'
/// and callers' bytes are never logged: events have fixed names, and fields are codes, counts and our own words.
@NullMarked
package dev.capsem.telemetry.log;

import org.jspecify.annotations.NullMarked;
