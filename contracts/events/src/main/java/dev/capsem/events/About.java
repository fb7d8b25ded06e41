package dev.capsem.events;

import dev.capsem.events.row.RowValues;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import java.util.Optional;

/// The subject of an event and the reason of its outcome, in words.
///
/// @param subject who or what is spoken to, such as `POST https://example.org`; nothing of a path, a query or a command
///     line, in which secrets may be
/// @param reason of the rule, the engine or the person that decided
/// @param callerPath the executable of the process behind it, as the guest says
/// @param callerScript the script that this runs, if it is an interpreter; likewise
public record About(
        Optional<String> subject, Optional<String> reason, Optional<String> callerPath, Optional<String> callerScript) {
    static final String SUBJECT_COLUMN = "subject";
    static final String REASON_COLUMN = "reason";
    static final String CALLER_PATH_COLUMN = "caller_path";
    static final String CALLER_SCRIPT_COLUMN = "caller_script";

    /// In the place of a model that the request does not name.
    public static final String NO_MODEL = "unnamed model";

    /// Of an event that nobody judged.
    public static final About NOTHING =
            new About(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    static About of(SecurityEvent event, Evaluation evaluation) {
        return new About(
                Optional.of(subject(event)),
                evaluation.reason(),
                event.envelope().caller().path(),
                event.envelope().caller().script());
    }

    About withReason(String because) {
        return new About(subject, Optional.of(because), callerPath, callerScript);
    }

    private static String subject(SecurityEvent event) {
        return switch (event) {
            case SecurityEvent.HttpRequest request -> http(request);
            case SecurityEvent.HttpResponse response -> response.status() + " to " + http(response.request());
            case SecurityEvent.DnsRequest request -> request.qtype() + " " + request.qname();
            case SecurityEvent.McpRequest request -> mcp(request);
            case SecurityEvent.McpResponse response -> "result of " + mcp(response.request());
            case SecurityEvent.ModelRequest request -> model(request);
            case SecurityEvent.ModelResponse response -> "answer of " + model(response.request());
            case SecurityEvent.ProcessExec exec -> exec.executable();
            case SecurityEvent.FileActivity activity -> activity.operation() + " " + activity.path();
            case SecurityEvent.HostActivity activity -> activity.operation();
        };
    }

    private static String http(SecurityEvent.HttpRequest request) {
        return request.method() + " " + request.origin();
    }

    private static String mcp(SecurityEvent.McpRequest request) {
        return request.serverName() + " " + request.toolName().orElse(request.method());
    }

    private static String model(SecurityEvent.ModelRequest request) {
        return request.provider() + " " + request.model().orElse(NO_MODEL);
    }

    void values(RowValues out) {
        out.text(subject);
        out.text(reason);
        out.text(callerPath);
        out.text(callerScript);
    }
}
