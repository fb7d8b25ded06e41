package dev.capsem.network.http;

import dev.capsem.events.security.RuleId;
import dev.capsem.wire.json.Json;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// The responses that we write ourselves: for an agent to understand, whichever of text and JSON it reads.
final class Answers {
    private Answers() {}

    /// @param decision `block` where the Security Engine or we refused, `error` where something failed
    /// @param accept the request's Accept header
    static FullHttpResponse response(Refusal refusal, String decision, Optional<String> accept, boolean isHead) {
        boolean wantsJson = accept.map(types -> types.toLowerCase(Locale.ROOT).contains("json"))
                .orElse(false);
        byte[] text = (wantsJson ? json(refusal, decision) : plain(refusal)).getBytes(StandardCharsets.UTF_8);
        ByteBuf body = isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(text);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(refusal.status()), body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, wantsJson ? "application/json" : "text/plain; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, text.length)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .set("x-capsem-decision", decision);
        refusal.rule().ifPresent(rule -> response.headers().set("x-capsem-rule", rule.value()));
        return response;
    }

    /// The guest may send its body.
    static FullHttpResponse goOn() {
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER);
    }

    private static String plain(Refusal refusal) {
        String rule = refusal.rule().map(id -> " [" + id.value() + "]").orElse("");
        return "Capsem: " + refusal.reason() + rule + "\nRemedy: " + refusal.remedy() + "\n";
    }

    private static String json(Refusal refusal, String decision) {
        ObjectNode error = Json.object();
        error.put("type", "capsem_" + refusal.code());
        error.put("message", "Capsem: " + refusal.reason());
        error.put("code", refusal.code());
        error.put("decision", decision);
        refusal.rule().map(RuleId::value).ifPresent(id -> error.put("rule", id));
        error.put("reason", refusal.reason());
        error.put("remedy", refusal.remedy());
        ObjectNode whole = Json.object();
        whole.set("error", error);
        return Json.text(whole) + "\n";
    }
}
