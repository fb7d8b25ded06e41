package dev.capsem.wire.aggregator;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Lines of the aggregator, a program that holds what strange servers said: however the bytes come, the same lines; and
/// a line is understood or refused by name.
public final class AggregatorLinesFuzz {
    private static final int LINE_BYTES_MAX = 300;

    private AggregatorLinesFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        List<LineSplitter.Cut> whole = cuts(new byte[][] {data});
        Property.same(told(whole), told(cuts(Property.pieces(data))), "lines under another split");
        for (LineSplitter.Cut cut : whole) {
            if (cut instanceof LineSplitter.Cut.Line(byte[] line)) {
                Property.holds(line.length <= LINE_BYTES_MAX, "a line above the limit");
                try {
                    AggregatorProtocol.fromAggregator(line);
                } catch (JsonShapeException refused) {
                    // As it should be.
                }
                try {
                    AggregatorRequest request = AggregatorProtocol.request(line);
                    Property.same(
                            AggregatorProtocol.method(request.operation()),
                            AggregatorProtocol.method(AggregatorProtocol.request(AggregatorProtocol.line(request))
                                    .operation()),
                            "a request written again");
                } catch (JsonShapeException refused) {
                    // As it should be.
                }
            }
        }
    }

    private static List<LineSplitter.Cut> cuts(byte[][] pieces) {
        LineSplitter splitter = new LineSplitter(LINE_BYTES_MAX);
        List<LineSplitter.Cut> cuts = new ArrayList<>();
        for (byte[] piece : pieces) {
            splitter.feed(piece, piece.length, cuts::add);
        }
        return cuts;
    }

    private static List<String> told(List<LineSplitter.Cut> cuts) {
        return cuts.stream()
                .map(cut -> switch (cut) {
                    case LineSplitter.Cut.Line(byte[] bytes) -> "line " + text(bytes);
                    case LineSplitter.Cut.TooLong(byte[] start, byte[] end) -> "long " + text(start) + "…" + text(end);
                })
                .toList();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
