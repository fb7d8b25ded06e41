/// Commands that read what was recorded: logs, history, stats, verify.
@NullMarked
package dev.capsem.cli.record;

import org.jspecify.annotations.NullMarked;
