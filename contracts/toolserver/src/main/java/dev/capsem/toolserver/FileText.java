package dev.capsem.toolserver;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Bytes of a file as JSON carries them: as text where they are UTF-8, else in base64. No byte is lost.
public record FileText(String content, boolean isBase64) {
    public static FileText of(byte[] bytes) {
        try {
            return new FileText(
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString(),
                    false);
        } catch (CharacterCodingException e) {
            return new FileText(Base64.getEncoder().encodeToString(bytes), true);
        }
    }

    /// Empty when it is not the base64 that it says it is.
    public Optional<byte[]> bytes() {
        if (!isBase64) {
            return Optional.of(content.getBytes(StandardCharsets.UTF_8));
        }
        try {
            return Optional.of(Base64.getDecoder().decode(content));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// As members `content` and, for base64, `encoding`.
    public ObjectNode putInto(ObjectNode json) {
        json.put("content", content);
        return isBase64 ? json.put("encoding", "base64") : json;
    }
}
