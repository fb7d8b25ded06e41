/// Commands played from transcripts.
@NullMarked
package dev.capsem.exchange.command;

import org.jspecify.annotations.NullMarked;
