package dev.capsem.events.row;

import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.Optional;

/// The work of one stage of the engine on the event. Its place in `ResolvedEvent.steps` is its index.
public record Step(
        StepKind kind, StepStatus status, Optional<String> ruleId, Optional<String> packId, Optional<String> message) {
    private static final String LED_TO = "http.request.address is ";

    /// The address that a request was judged by.
    public static Step ledTo(String address) {
        return new Step(
                StepKind.PREPROCESSOR,
                StepStatus.APPLIED,
                Optional.empty(),
                Optional.empty(),
                Optional.of(LED_TO + address));
    }

    /// The address of a step that [#ledTo] made, from its message; empty for any other.
    public static Optional<String> addressIn(String message) {
        return message.startsWith(LED_TO) ? Optional.of(message.substring(LED_TO.length())) : Optional.empty();
    }

    /// A step with its place among the others, as stored.
    public record Placed(int index, Step step) implements Row {
        public static final RowShape SHAPE = RowShape.of(
                        "security_event_steps", "step_index", "kind", "status", "rule_id", "pack_id", "message")
                .under("event_id");

        @Override
        public RowShape shape() {
            return SHAPE;
        }

        @Override
        public void values(RowValues out) {
            out.integer(index);
            out.name(step.kind);
            out.name(step.status);
            out.text(step.ruleId);
            out.text(step.packId);
            out.text(step.message);
        }
    }
}
