package dev.capsem.events.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/// The content of a message, after transfer and content codings were undone, as far as rules may see it.
public sealed interface Body {
    /// The most that is inspected: DESIGN's limit for bodies. A larger one is [TooLarge], never cut short, since a
    /// cut would let padding carry anything past a rule.
    int INSPECTED_BYTES_MAX = 10 * 1024 * 1024;

    Body NONE = new Absent();

    Optional<String> contentType();

    /// The name rules and JSON know this state by.
    String state();

    /// The message has no body.
    record Absent() implements Body {
        @Override
        public Optional<String> contentType() {
            return Optional.empty();
        }

        @Override
        public String state() {
            return "missing";
        }
    }

    /// All of it.
    ///
    /// @param isBinary whether the bytes are not UTF-8; the text then has U+FFFD in the places that are not, so
    ///     that one bad byte does not hide the rest from rules
    /// @param size in bytes
    record Text(String text, boolean isBinary, long size, Optional<String> contentType) implements Body {
        public Text {
            if (size < 0) {
                throw new IllegalArgumentException("a body's size is not negative");
            }
        }

        @Override
        public String state() {
            return isBinary ? "binary" : "text";
        }

        /// Content may be secret.
        @Override
        public String toString() {
            return "Text[" + size + " bytes]";
        }
    }

    /// It is there, and more than we look at.
    record TooLarge(OptionalLong size, Optional<String> contentType) implements Body {
        @Override
        public String state() {
            return "too_large";
        }
    }

    /// The headers are in, the content is still to come. Ask `SecurityGate.needsBody` before deciding on such
    /// an event.
    record Unread(Optional<String> contentType) implements Body {
        @Override
        public String state() {
            return "unread";
        }
    }

    /// It was there when the event happened and was taken out before storing.
    record Redacted(OptionalLong size, Optional<String> contentType) implements Body {
        @Override
        public String state() {
            return "redacted";
        }
    }

    static Body of(byte[] content, Optional<String> contentType) {
        if (content.length == 0) {
            return NONE;
        }
        if (content.length > INSPECTED_BYTES_MAX) {
            return new TooLarge(OptionalLong.of(content.length), contentType);
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
            return new Text(text, false, content.length, contentType);
        } catch (CharacterCodingException notText) {
            return new Text(new String(content, StandardCharsets.UTF_8), true, content.length, contentType);
        }
    }

    static Body of(String text) {
        return text.isEmpty()
                ? NONE
                : new Text(text, false, text.getBytes(StandardCharsets.UTF_8).length, Optional.empty());
    }
}
