package dev.capsem.mcp.connection;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.row.Projection;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.mcp.McpAction;
import dev.capsem.exchange.mcp.McpInput;
import dev.capsem.exchange.mcp.McpNotice;
import dev.capsem.mcp.method.ToolRoute;
import dev.capsem.mcp.record.CallRecord;
import dev.capsem.mcp.record.CallRecord.End;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerNotification;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// What a client and the servers tell each other without being asked. A notification that cannot be put on record is
/// not passed on.
final class Notifications {
    private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);

    /// Notifications that a client may send; any other is refused and recorded.
    private static final Set<String> OF_CLIENTS = Set.of(
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/progress",
            "notifications/roots/list_changed");

    private static final Set<String> OF_SERVERS = Set.of(
            "notifications/progress",
            "notifications/message",
            "notifications/resources/updated",
            "notifications/resources/list_changed",
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
            "notifications/elicitation/complete");

    private final EndpointDependencies parts;
    private final McpClientSession session;
    private final Predicate<JsonRpcMessage> unasked;

    /// @param unasked sends a message that answers nothing, or says that there is no room; must not wait
    Notifications(EndpointDependencies parts, McpClientSession session, Predicate<JsonRpcMessage> unasked) {
        this.parts = parts;
        this.session = session;
        this.unasked = unasked;
    }

    /// @param processName as with requests
    /// @param onDelivered told of what was let through
    void ofClient(Notification notification, String processName, Consumer<Notification> onDelivered) {
        McpNotice.Kind kind =
                OF_CLIENTS.contains(notification.method()) ? McpNotice.Kind.OF_CLIENT : McpNotice.Kind.DISALLOWED;
        new Passing(notification, ToolRoute.BUILTIN, Optional.of(processName))
                .pass(
                        new McpNotice(parts.ports().judge(), kind),
                        parts.ports().admit(EventType.MCP_REQUEST),
                        event -> onDelivered.accept(notification));
    }

    /// Judged like all else: what a server says unasked reaches the model as well.
    ///
    /// @param progressToken the client's own for the call in whose course this was said
    void ofServer(ServerNotification said, Optional<JsonNode> progressToken) {
        Optional<Notification> wanted = wanted(said, progressToken);
        if (wanted.isEmpty()) {
            return;
        }
        String server = said.server().isEmpty() ? ToolRoute.BUILTIN : said.server();
        Passing passing = new Passing(wanted.get(), server, Optional.empty());
        passing.pass(
                new McpNotice(parts.ports().judge(), McpNotice.Kind.OF_SERVER),
                parts.ports().admitNow(EventType.MCP_REQUEST),
                event -> {
                    if (!unasked.test(passing.as(event))) {
                        LOG.atDebug().addKeyValue("method", said.method()).log("mcp.notification.dropped");
                    }
                });
    }

    /// In the client's own terms; empty if this client does not want to hear of it.
    private Optional<Notification> wanted(ServerNotification said, Optional<JsonNode> progressToken) {
        return switch (said.method()) {
            case "notifications/progress" ->
                progressToken.map(token -> {
                    ObjectNode changed = copy(said);
                    changed.set("progressToken", token);
                    return new Notification(said.method(), Optional.of(changed));
                });
            case "notifications/message" ->
                Optional.of(new Notification(said.method(), said.params()))
                        .filter(message -> SharedInterests.LEVELS.indexOf(text(said, "level"))
                                >= SharedInterests.LEVELS.indexOf(session.level()));
            case "notifications/resources/updated" -> {
                String uri = Namespace.uri(said.server(), text(said, "uri"));
                yield parts.interests().isSubscribed(session, uri)
                        ? Optional.of(new Notification(
                                said.method(), Optional.of(copy(said).put("uri", uri))))
                        : Optional.empty();
            }
            default -> {
                if (!OF_SERVERS.contains(said.method())) {
                    LOG.atDebug().addKeyValue("method", said.method()).log("mcp.notification.unknown");
                    yield Optional.empty();
                }
                yield Optional.of(new Notification(said.method(), said.params()));
            }
        };
    }

    private static ObjectNode copy(ServerNotification said) {
        return said.params().map(ObjectNode::deepCopy).orElseGet(Json::object);
    }

    private static String text(ServerNotification said, String member) {
        return said.params().map(object -> object.path(member).asString("")).orElse("");
    }

    /// One notification on its way: translates between its [McpNotice], the record and its receiver.
    private final class Passing {
        private final Notification notification;
        private final Optional<String> processName;
        private final Correlation correlation =
                Correlation.NONE.withTrace(parts.ids().newTraceId());
        private final long startedAt = System.nanoTime();
        private final McpRequest event;

        Passing(Notification notification, String server, Optional<String> processName) {
            this.notification = notification;
            this.processName = processName;
            Envelope envelope = parts.ports().envelope(correlation);
            this.event = McpEvents.of(
                    processName
                            .map(name -> envelope.withCaller(McpEvents.caller(name)))
                            .orElse(envelope),
                    notification.method(),
                    server,
                    notification.params().map(JsonNode.class::cast));
        }

        /// As a rule may have changed it.
        Notification as(McpRequest judged) {
            return judged.arguments().equals(event.arguments())
                    ? notification
                    : new Notification(notification.method(), Optional.of(Trees.arguments(judged)));
        }

        void pass(McpNotice notice, Admission admission, Consumer<McpRequest> receiver) {
            switch (admission) {
                case Admission.Refused refused ->
                    perform(notice, new McpInput.NotAdmitted(refused), Place.BOUNDLESS, receiver);
                case Admission.Admitted(Place place) -> {
                    try (place) {
                        perform(notice, new McpInput.Admitted(event), place, receiver);
                    }
                }
            }
        }

        private void perform(McpNotice notice, McpInput input, Place place, Consumer<McpRequest> receiver) {
            for (McpAction action : notice.on(input)) {
                switch (action) {
                    case McpAction.PutOnRecord record -> perform(notice, recorded(record, place), place, receiver);
                    case McpAction.Deliver(McpRequest judged) -> receiver.accept(judged);
                    case McpAction.Drop(Admission.Refused refused) ->
                        LOG.atWarn()
                                .addKeyValue("method", notification.method())
                                .addKeyValue("reason", refused.reason())
                                .log("mcp.notification.unrecorded");
                    case McpAction.AskPerson _,
                            McpAction.Forward _,
                            McpAction.Answer _,
                            McpAction.Refuse _,
                            McpAction.NoSuchTool _,
                            McpAction.FailUnrecorded _ ->
                        throw new IllegalStateException("nobody waits for an answer to a notification");
                }
            }
        }

        private McpInput recorded(McpAction.PutOnRecord record, Place place) {
            List<Projection> rows = record.row()
                    .map(row -> callRecord().rows(end(row.end(), record), row.policy()))
                    .orElse(List.of());
            return parts.ports().record(record.event(), record.evaluation(), rows, place)
                    ? new McpInput.Recorded()
                    : new McpInput.NotRecorded();
        }

        private End end(McpAction.End end, McpAction.PutOnRecord record) {
            Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
            return end == McpAction.End.REFUSED
                    ? new End.Refused(Enforcement.refusal("notification", record.evaluation()), took)
                    : new End.Answered(Json.object(), took);
        }

        private CallRecord callRecord() {
            return new CallRecord(
                    parts.clock().instant(),
                    event,
                    Optional.empty(),
                    notification.params(),
                    processName,
                    correlation.traceId(),
                    Optional.empty(),
                    parts.mask());
        }
    }
}
