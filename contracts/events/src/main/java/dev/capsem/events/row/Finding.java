package dev.capsem.events.row;

import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.Severity;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// A detection matched. It informs; it never decides.
///
/// @param findingId unique within the session
public record Finding(
        String findingId,
        String ruleId,
        String packId,
        Optional<String> sigmaId,
        String title,
        Severity severity,
        Confidence confidence,
        List<String> tags)
        implements Row {
    public static final RowShape SHAPE = RowShape.of(
                    "detection_findings",
                    "finding_id",
                    "rule_id",
                    "pack_id",
                    "sigma_id",
                    "title",
                    "severity",
                    "confidence")
            .under("event_id");

    public Finding {
        tags = List.copyOf(tags);
    }

    /// A tag with its place among the others, as stored.
    public record PlacedTag(int index, String tag) implements Row {
        public static final RowShape SHAPE =
                RowShape.of("detection_finding_tags", "tag_index", "tag").under("finding_id");

        @Override
        public RowShape shape() {
            return SHAPE;
        }

        @Override
        public void values(RowValues out) {
            out.integer(index);
            out.text(tag);
        }
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.text(findingId);
        out.text(ruleId);
        out.text(packId);
        out.text(sigmaId);
        out.text(title);
        out.name(severity);
        out.name(confidence);
    }

    @Override
    public Optional<String> key() {
        return Optional.of(findingId);
    }

    @Override
    public List<Row> children() {
        return IntStream.range(0, tags.size())
                .<Row>mapToObj(i -> new PlacedTag(i, tags.get(i)))
                .toList();
    }
}
