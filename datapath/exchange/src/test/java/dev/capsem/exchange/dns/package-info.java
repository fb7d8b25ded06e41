/// DNS questions, played from transcripts.
@NullMarked
package dev.capsem.exchange.dns;

import org.jspecify.annotations.NullMarked;
