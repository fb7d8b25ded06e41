package dev.capsem.sandboxmcp.tools;

import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// The sandbox server said no, or nothing. No text of it holds the token.
public final class ServerRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final String remediation;
    private final boolean isUnknownRoute;

    private ServerRefusal(int status, String code, String cause, String remediation, boolean isUnknownRoute) {
        super(cause, null, false, false);
        this.status = status;
        this.code = code;
        this.remediation = remediation;
        this.isUnknownRoute = isUnknownRoute;
    }

    public static ServerRefusal unreachable(String cause, String remediation) {
        return new ServerRefusal(0, "backend_error", cause, remediation, false);
    }

    /// @param what `<METHOD> <path>`
    /// @param text the body, redacted, bounded
    /// @param body the body if it is JSON
    public static ServerRefusal of(String what, int status, String text, Optional<JsonNode> body) {
        Optional<JsonMembers> envelope = body.flatMap(ServerRefusal::envelope);
        String head = what + ": status " + status + ": ";
        if (envelope.isEmpty()) {
            boolean isRoute =
                    status == 404 && (text.contains("page not found") || text.contains("\"route_not_found\""));
            return new ServerRefusal(status, "backend_error", head + text.strip(), "", isRoute);
        }
        String code = text(envelope.get(), "code").orElse("backend_error");
        String message = text(envelope.get(), "message").orElse("");
        String cause = text(envelope.get(), "cause")
                .filter(more -> !more.equals(message))
                .orElse("");
        String said = message.toLowerCase(Locale.ROOT);
        boolean isRoute = status == 404
                && (code.equals("route_not_found")
                        || (code.equals("not_found") && (said.contains("route") || said.contains("operation"))));
        String full = cause.isEmpty() ? message : message.isEmpty() ? cause : message + ": " + cause;
        return new ServerRefusal(
                status, code, head + full, text(envelope.get(), "remediation").orElse(""), isRoute);
    }

    private static Optional<JsonMembers> envelope(JsonNode body) {
        JsonNode error = body.path("error");
        return error.isObject() ? Optional.of(JsonMembers.of(error, "error")) : Optional.empty();
    }

    private static Optional<String> text(JsonMembers members, String name) {
        try {
            return members.optionalText(name).filter(text -> !text.isEmpty());
        } catch (JsonShapeException e) {
            return Optional.empty();
        }
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }

    /// Empty when the server gave none.
    public String remediation() {
        return remediation;
    }

    /// The server does not know the route, which says nothing about the thing that was named.
    public boolean isUnknownRoute() {
        return isUnknownRoute;
    }
}
