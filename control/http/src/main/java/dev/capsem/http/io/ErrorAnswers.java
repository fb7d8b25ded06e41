package dev.capsem.http.io;

import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// Answers in place of Jetty, with cause, code and remedy: what is no HTTP, and errors of the JVM, which no
/// handler catches.
final class ErrorAnswers extends ErrorHandler {
    /// In the words of the API that is served.
    public interface Words {
        ObjectNode body(int status, String cause);
    }

    private final Words words;

    ErrorAnswers(Words words) {
        this.words = words;
    }

    /// Jetty leaves the answers to PUT and DELETE empty.
    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    /// The exception's type only: its message may hold what somebody sent.
    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int status,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        String why = HttpStatus.isServerError(status)
                ? "the service failed"
                        + Optional.ofNullable(cause)
                                .map(e -> ": " + e.getClass().getSimpleName())
                                .orElse("")
                : "the request is no correct HTTP: " + HttpStatus.getMessage(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        byte[] body = Json.bytes(words.body(status, why));
        Content.Sink.write(response, true, new String(body, StandardCharsets.UTF_8), callback);
    }
}
