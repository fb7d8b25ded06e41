/// Exchanges played from transcripts: text files of inputs and actions. Entry type: [TranscriptFile].
@NullMarked
package dev.capsem.exchange;

import org.jspecify.annotations.NullMarked;
