package dev.capsem.llm.stream;

import dev.capsem.fuzz.Property;
import dev.capsem.llm.json.KnownNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Event streams of models: the same events under any split.
public final class SseFuzz {
    private static final KnownNames TYPES = new KnownNames(List.of("message", "ping", "error"));

    private SseFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        List<String> whole = events(new byte[][] {data});
        Property.same(whole, events(Property.pieces(data)), "under another split");
        byte[][] single = new byte[data.length][];
        for (int i = 0; i < data.length; i++) {
            single[i] = new byte[] {data[i]};
        }
        Property.same(whole, events(single), "byte by byte");
    }

    private static List<String> events(byte[][] pieces) {
        List<String> told = new ArrayList<>();
        SseParser parser = new SseParser(TYPES, new PieceSink() {
            @Override
            public void piece(String type, byte[] buffer, int from, int to) {
                told.add(type + "|" + new String(buffer, from, to - from, StandardCharsets.ISO_8859_1));
            }

            @Override
            public void oversized(String type) {
                told.add("oversized");
            }
        });
        for (byte[] piece : pieces) {
            parser.feed(piece, 0, piece.length);
        }
        parser.finish();
        return told;
    }
}
