package dev.capsem.backends.upstream;

import dev.capsem.backends.http.HttpFields;
import dev.capsem.backends.http.HttpResponse;
import dev.capsem.backends.http.HttpUrl;
import dev.capsem.wire.aggregator.SecretText;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// What the two HTTP transports have in common: where the server is, what every request carries, what refusals mean.
record Endpoint(HttpUrl url, HttpFields fields) {
    /// Ours alone: a definition cannot set them.
    private static final Set<String> RESERVED = Set.of(
            "accept",
            "host",
            "content-length",
            "content-type",
            "transfer-encoding",
            "connection",
            "mcp-session-id",
            "last-event-id");

    static Endpoint of(ServerDefinition definition) throws UpstreamException {
        HttpUrl url = definition
                .url()
                .flatMap(HttpUrl::parse)
                .orElseThrow(() -> UpstreamException.of(
                        UpstreamException.Kind.UNAUTHORIZED, "its url is not an http or https address"));
        HttpFields fields = HttpFields.NONE.with("User-Agent", "capsem-mcp-aggregator");
        try {
            for (Map.Entry<String, SecretText> header : definition.headers().entrySet()) {
                if (!RESERVED.contains(header.getKey().toLowerCase(Locale.ROOT))) {
                    fields = fields.with(header.getKey(), header.getValue().reveal());
                }
            }
            if (definition.bearerToken().isPresent()) {
                fields = fields.with(
                        "Authorization",
                        "Bearer " + definition.bearerToken().get().reveal());
            }
        } catch (IllegalArgumentException e) {
            throw UpstreamException.of(
                    UpstreamException.Kind.UNAUTHORIZED, "one of its headers or its token cannot be sent");
        }
        return new Endpoint(url, fields);
    }

    /// Why an exchange that should have worked did not.
    ///
    /// @param hasSession whether the request named one
    static UpstreamException refusal(HttpResponse response, boolean hasSession) {
        int status = response.status();
        if (status == 401 || status == 403) {
            String challenge = response.fields().first("www-authenticate").orElse("");
            boolean isOauth = challenge.toLowerCase(Locale.ROOT).contains("resource_metadata")
                    || challenge.toLowerCase(Locale.ROOT).startsWith("bearer");
            String why = challenge.contains("insufficient_scope")
                    ? "the token does not reach far enough"
                    : status == 401 ? "authorization required" : "not allowed";
            return UpstreamException.of(
                    UpstreamException.Kind.UNAUTHORIZED,
                    why + " (HTTP " + status + ")"
                            + (isOauth
                                    ? ": the server asks for OAuth; get a token from its provider and set it as"
                                            + " bearer token of this server"
                                    : ": check this server's headers and token"));
        }
        if (status == 404 && hasSession) {
            return UpstreamException.of(UpstreamException.Kind.SESSION_EXPIRED, "the server forgot the session");
        }
        try {
            if (response.fields().mediaType().equals("application/json")
                    && JsonRpc.parse(response.bytes(JsonRpc.MESSAGE_BYTES_MAX))
                            instanceof Parsed.Valid(JsonRpcMessage.Failure failure)) {
                return UpstreamException.refused(failure.error());
            }
        } catch (IOException e) {
            return UpstreamException.broken("the server's refusal could not be read");
        }
        return UpstreamException.broken("the server answered HTTP " + status);
    }
}
