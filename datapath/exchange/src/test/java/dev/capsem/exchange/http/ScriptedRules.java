package dev.capsem.exchange.http;

import dev.capsem.events.row.Step;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Decides as a transcript says.
final class ScriptedRules implements SecurityGate {
    private final Map<String, String> outcomes = new HashMap<>();
    private final Set<String> reads = new HashSet<>();
    private boolean needsAddress;

    void decide(String subject, String outcome) {
        outcomes.put(subject, outcome);
    }

    void read(String subject) {
        reads.add(subject);
    }

    void needAddress() {
        needsAddress = true;
    }

    @Override
    public Evaluation evaluate(SecurityEvent event) {
        String subject = subject(event);
        String outcome = outcomes.getOrDefault(subject, "allow");
        RuleId rule = RuleId.of(subject.startsWith("model") ? "model" : "http", subject.replace('-', '_'));
        Step step = new Step(
                StepKind.ENFORCEMENT_MATCH,
                StepStatus.MATCHED,
                Optional.of(rule.value()),
                Optional.empty(),
                Optional.empty());
        return new Evaluation(outcome(outcome, event), Optional.of(rule), Optional.empty(), List.of(step), List.of());
    }

    private static Evaluation.Outcome outcome(String outcome, SecurityEvent event) {
        String[] words = outcome.split(" ");
        return switch (words[0]) {
            case "allow" -> new Evaluation.Allowed();
            case "ask" -> new Evaluation.Asked();
            case "block" -> new Evaluation.Blocked(BlockCause.RULE);
            case "block-inside" -> new Evaluation.Blocked(BlockCause.PRIVATE_ADDRESS);
            case "block-too-large" -> new Evaluation.Blocked(BlockCause.BODY_TOO_LARGE);
            case "header" -> new Evaluation.Rewritten(withHeader(event, words[1], words[2]), List.of());
            case "body" -> new Evaluation.Rewritten(withBody(event, words[1]), List.of());
            case "both" ->
                new Evaluation.Rewritten(withBody(withHeader(event, words[1], words[2]), words[3]), List.of());
            case "throw" -> throw new IllegalStateException("a bug");
            default -> throw new IllegalArgumentException("no such outcome: " + outcome);
        };
    }

    private static SecurityEvent withHeader(SecurityEvent event, String name, String value) {
        return switch (event) {
            case SecurityEvent.HttpRequest request ->
                request.withHeaders(request.headers().with(name, value));
            case SecurityEvent.HttpResponse response ->
                response.withHeaders(response.headers().with(name, value));
            default -> throw new IllegalArgumentException("has no headers");
        };
    }

    private static SecurityEvent withBody(SecurityEvent event, String text) {
        return switch (event) {
            case SecurityEvent.HttpRequest request -> request.withBody(Body.of(text));
            case SecurityEvent.HttpResponse response -> response.withBody(Body.of(text));
            default -> throw new IllegalArgumentException("has no body");
        };
    }

    @Override
    public boolean needsBody(SecurityEvent event) {
        return reads.contains(subject(event));
    }

    @Override
    public boolean needsAddress() {
        return needsAddress;
    }

    private String subject(SecurityEvent event) {
        return switch (event) {
            case SecurityEvent.HttpRequest request ->
                request.address().isPresent() && outcomes.containsKey("address") ? "address" : "request";
            case SecurityEvent.HttpResponse _ -> "response";
            case SecurityEvent.ModelRequest _ -> "model-request";
            case SecurityEvent.ModelResponse _ -> "model-response";
            default -> throw new IllegalArgumentException("not part of an exchange: " + event.type());
        };
    }
}
