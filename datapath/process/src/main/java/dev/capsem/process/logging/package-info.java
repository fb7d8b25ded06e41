/// process.log: JSON lines through slf4j and logback, set up by code. Entry type: `ProcessLog`. Nothing that a
/// guest or a caller sent is ever logged: events have fixed names, and fields are codes, counts and our own words.
@NullMarked
package dev.capsem.process.logging;

import org.jspecify.annotations.NullMarked;
