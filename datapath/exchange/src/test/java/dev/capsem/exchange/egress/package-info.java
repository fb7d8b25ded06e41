/// Connections of tool programs, played from transcripts.
@NullMarked
package dev.capsem.exchange.egress;

import org.jspecify.annotations.NullMarked;
