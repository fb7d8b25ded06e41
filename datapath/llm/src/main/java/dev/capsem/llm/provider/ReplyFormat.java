package dev.capsem.llm.provider;

import dev.capsem.llm.event.LlmEvent;
import dev.capsem.llm.event.StopReason;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Understands the replies of one API: the pieces of a stream, and a whole reply as the only piece.
interface ReplyFormat {
    /// @param eventType the name of the server-sent event, or empty
    void read(String eventType, byte[] buffer, int from, int to);

    /// How its streams are cut into pieces, where the first byte does not tell by itself.
    default Framing framing() {
        return Framing.EVENTS;
    }

    enum Framing {
        EVENTS,
        /// Objects one after another.
        SEQUENCE,
        /// Binary messages.
        FRAMES
    }

    /// Nothing more will come.
    void finish();

    /// An event that was not understood, with its beginning.
    static LlmEvent.Unknown unknown(String eventType, byte[] buffer, int from, int to) {
        int kept = Math.min(to - from, LlmEvent.Unknown.RAW_CHARACTERS_MAX);
        return new LlmEvent.Unknown(eventType, new String(buffer, from, kept, StandardCharsets.UTF_8));
    }

    static LlmEvent.MessageEnd end(StopReason reason) {
        return new LlmEvent.MessageEnd(Optional.of(reason));
    }

    StopReason ERROR = new StopReason.Other("error");
}
