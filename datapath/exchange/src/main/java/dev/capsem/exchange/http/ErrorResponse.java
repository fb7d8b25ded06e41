package dev.capsem.exchange.http;

import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.budget.ProviderError;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// A response that we write ourselves: for an agent to understand, whichever of text and JSON it reads.
///
/// @param text the body; not sent to a request with HEAD
public record ErrorResponse(int status, Headers headers, String text, boolean isForHead) {
    private static final JsonFactory JSON = new JsonFactory();

    /// @param decision `block` where a rule or we refused, `error` where something failed
    static ErrorResponse of(Refusal refusal, String decision, SecurityEvent.HttpRequest request) {
        boolean wantsJson = request.headers()
                .value("accept")
                .map(types -> types.toLowerCase(Locale.ROOT).contains("json"))
                .orElse(false);
        String text = wantsJson ? json(refusal, decision) : plain(refusal);
        List<Headers.Field> fields = new ArrayList<>();
        fields.add(new Headers.Field("content-type", wantsJson ? "application/json" : "text/plain; charset=utf-8"));
        fields.add(new Headers.Field("content-length", Integer.toString(text.getBytes(StandardCharsets.UTF_8).length)));
        fields.add(new Headers.Field("cache-control", "no-store"));
        fields.add(new Headers.Field("x-capsem-decision", decision));
        refusal.rule().ifPresent(rule -> fields.add(new Headers.Field("x-capsem-rule", rule.value())));
        return new ErrorResponse(
                refusal.status(), Headers.of(fields), text, request.method().equals("HEAD"));
    }

    /// In the words of the API that was asked.
    static ErrorResponse of(ProviderError error, SecurityEvent.HttpRequest request) {
        List<Headers.Field> fields = new ArrayList<>(error.headers().fields());
        fields.add(new Headers.Field(
                "content-length", Integer.toString(error.text().getBytes(StandardCharsets.UTF_8).length)));
        return new ErrorResponse(
                error.status(),
                Headers.of(fields),
                error.text(),
                request.method().equals("HEAD"));
    }

    private static String plain(Refusal refusal) {
        String rule = refusal.rule().map(id -> " [" + id.value() + "]").orElse("");
        return "Capsem: " + refusal.reason() + rule + "\nRemedy: " + refusal.remedy() + "\n";
    }

    private static String json(Refusal refusal, String decision) {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            json.writeObjectPropertyStart("error");
            json.writeStringProperty("type", "capsem_" + refusal.code());
            json.writeStringProperty("message", "Capsem: " + refusal.reason());
            json.writeStringProperty("code", refusal.code());
            json.writeStringProperty("decision", decision);
            refusal.rule().ifPresent(rule -> json.writeStringProperty("rule", rule.value()));
            json.writeStringProperty("reason", refusal.reason());
            json.writeStringProperty("remedy", refusal.remedy());
            json.writeEndObject();
            json.writeEndObject();
        }
        return out + "\n";
    }
}
