package dev.capsem.llm.provider;

import dev.capsem.llm.event.LlmEvent;
import dev.capsem.llm.json.JsonCursor;
import java.util.Base64;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Bedrock's InvokeModel: what the model's own API says, in Base64 inside the messages of a binary stream, or as it is.
/// Only Anthropic's words are understood; of other models Bedrock's own counts are read.
final class InvokeReply implements ReplyFormat {
    private final Consumer<LlmEvent> out;
    private final @Nullable ReplyFormat words;
    private final JsonCursor in = new JsonCursor(WireNames.ALL);

    /// @param words understands what the model says, if anything does
    InvokeReply(@Nullable ReplyFormat words, Consumer<LlmEvent> out) {
        this.words = words;
        this.out = out;
    }

    @Override
    public Framing framing() {
        return Framing.FRAMES;
    }

    @Override
    public void read(String eventType, byte[] buffer, int from, int to) {
        if (eventType.endsWith("Exception")) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.ERROR, buffer, from, to));
            out.accept(ReplyFormat.end(ERROR));
        } else if (eventType.equals("chunk")) {
            chunk(buffer, from, to);
        } else {
            said(buffer, from, to);
        }
    }

    private void chunk(byte[] buffer, int from, int to) {
        in.reset(buffer, from, to);
        String packed = null;
        if (in.enterObject()) {
            while (in.nextMember()) {
                if (in.name().equals("bytes")) {
                    packed = in.string();
                } else {
                    in.skip();
                }
            }
        }
        byte[] piece = packed == null ? null : unpacked(packed);
        if (piece == null || !in.isAtEnd()) {
            out.accept(ReplyFormat.unknown(LlmEvent.Unknown.MALFORMED, buffer, from, to));
        }
        if (piece != null) {
            said(piece, 0, piece.length);
        }
    }

    private static byte @Nullable [] unpacked(String packed) {
        try {
            return Base64.getDecoder().decode(packed);
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    private void said(byte[] piece, int from, int to) {
        if (words != null) {
            words.read("", piece, from, to);
            return;
        }
        in.reset(piece, from, to);
        if (in.enterObject()) {
            while (in.nextMember()) {
                switch (in.name()) {
                    case "amazon-bedrock-invocationMetrics", "usage" -> out.accept(UsageReader.read(in));
                    default -> in.skip();
                }
            }
        }
    }

    @Override
    public void finish() {
        if (words != null) {
            words.finish();
        }
    }
}
