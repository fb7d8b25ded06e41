/// Commands in running sandboxes: checked, started, read as one stream of events. Entry type:
/// [dev.capsem.service.commands.Commands]. How the events are written to a client is each API's business.
@NullMarked
package dev.capsem.service.commands;

import org.jspecify.annotations.NullMarked;
