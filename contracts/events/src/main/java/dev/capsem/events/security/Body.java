package dev.capsem.events.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
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
    /// @param text in the charset that it is declared to be written in
    /// @param isBinary whether the bytes are not UTF-8; where they cannot be read the text has U+FFFD, so that
    ///     one bad byte does not hide the rest from rules
    /// @param size in bytes
    /// @param asUtf8 the same bytes for readers that do not ask for the charset, where that makes a difference
    record Text(String text, boolean isBinary, long size, Optional<String> contentType, Optional<String> asUtf8)
            implements Body {
        public Text(String text, boolean isBinary, long size, Optional<String> contentType) {
            this(text, isBinary, size, contentType, Optional.empty());
        }

        public Text {
            if (size < 0) {
                throw new IllegalArgumentException("a body's size is not negative");
            }
        }

        @Override
        public String state() {
            return isBinary ? "binary" : "text";
        }

        /// The same content, read in another way.
        public Text reading(String other) {
            return new Text(other, isBinary, size, contentType);
        }

        /// Content may be secret.
        @Override
        public String toString() {
            return "Text[" + size + " bytes]";
        }
    }

    /// It is there, and more than we look at, or written in a charset that we do not know.
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
        return switch (BodyCharset.of(content, contentType)) {
            case BodyCharset.Unknown _ -> new TooLarge(OptionalLong.of(content.length), contentType);
            case BodyCharset.Known(Charset charset) -> text(content, charset, contentType);
        };
    }

    private static Text text(byte[] content, Charset charset, Optional<String> contentType) {
        String utf8 = new String(content, StandardCharsets.UTF_8);
        String text = charset.equals(StandardCharsets.UTF_8) || charset.equals(StandardCharsets.US_ASCII)
                ? utf8
                : withoutMark(new String(content, charset));
        return text.equals(utf8)
                ? new Text(text, !isUtf8(content), content.length, contentType)
                : new Text(text, true, content.length, contentType, Optional.of(utf8));
    }

    private static String withoutMark(String text) {
        return text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    private static boolean isUtf8(byte[] content) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content));
            return true;
        } catch (CharacterCodingException notText) {
            return false;
        }
    }

    static Body of(String text) {
        return text.isEmpty()
                ? NONE
                : new Text(text, false, text.getBytes(StandardCharsets.UTF_8).length, Optional.empty());
    }
}
