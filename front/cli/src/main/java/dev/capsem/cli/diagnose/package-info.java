/// Commands for finding out what went wrong: triage, panics, timeline, inspect. They ask the service and draw what it
/// answers. Entry types: one class for each command.
@NullMarked
package dev.capsem.cli.diagnose;

import org.jspecify.annotations.NullMarked;
