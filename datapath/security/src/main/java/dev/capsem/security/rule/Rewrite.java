package dev.capsem.security.rule;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.Mutation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.security.rule.RewriteTarget.Content;
import dev.capsem.security.rule.RewriteTarget.Header;
import dev.capsem.security.rule.RewriteTarget.Path;
import dev.capsem.security.rule.RewriteTarget.Query;
import dev.capsem.security.rule.RewriteTarget.Structure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The changes that a rewrite rule makes, checked at load. They either all fit the event and leave a valid
/// one, or the event is blocked: half a rewrite would let through what the rule's author meant to change.
public final class Rewrite {
    private final List<String> stripped;
    private final Optional<Replacement> replacement;

    /// The result of applying.
    public sealed interface Applied {
        record Changed(SecurityEvent event, List<Mutation> mutations) implements Applied {}

        /// @param reason never holds values of the event
        record Failed(String reason) implements Applied {}
    }

    Rewrite(List<String> stripped, Optional<Replacement> replacement) {
        this.stripped = List.copyOf(stripped);
        this.replacement = replacement;
    }

    /// Whether it changes the body, which then has to be there.
    public boolean changesBody() {
        return replacement.filter(change -> change.target() instanceof Content).isPresent();
    }

    /// Whether it changes where the request goes at its host.
    public boolean changesUrl() {
        return replacement
                .filter(change -> change.target() instanceof Path || change.target() instanceof Query)
                .isPresent();
    }

    public Applied apply(SecurityEvent event) {
        try {
            List<Mutation> mutations = new ArrayList<>();
            SecurityEvent changed = strip(event, mutations);
            if (replacement.isPresent()) {
                changed = replace(changed, replacement.get());
                mutations.add(
                        new Mutation.TextReplaced(replacement.get().target().path()));
            }
            return new Applied.Changed(changed, mutations);
        } catch (Inapplicable inapplicable) {
            return new Applied.Failed(inapplicable.reason);
        } catch (IllegalArgumentException invalid) {
            return new Applied.Failed("the result would not be valid: " + invalid.getMessage());
        }
    }

    /// A header that is not there is as good as stripped.
    private SecurityEvent strip(SecurityEvent event, List<Mutation> mutations) {
        SecurityEvent changed = event;
        for (String name : stripped) {
            changed = switch (changed) {
                case HttpRequest request ->
                    request.withHeaders(request.headers().without(name));
                case HttpResponse response ->
                    response.withHeaders(response.headers().without(name));
                default -> throw new Inapplicable("the event has no headers");
            };
            mutations.add(new Mutation.HeaderStripped(event.type().wireName() + ".headers", name));
        }
        return changed;
    }

    private static SecurityEvent replace(SecurityEvent event, Replacement replacement) {
        return switch (replacement.target()) {
            case Path _ -> {
                HttpRequest request = request(event);
                yield request.withPath(replacement.require(request.normalizedPath()));
            }
            case Query _ -> {
                HttpRequest request = request(event);
                String query = replacement.require(
                        request.normalizedQuery().orElseThrow(() -> new Inapplicable("the request has no query")));
                yield request.withQuery(query.isEmpty() ? Optional.empty() : Optional.of(query));
            }
            case Header header -> header(event, header, replacement);
            case Content _ -> body(event, replacement);
            case Structure structure -> structure(event, structure, replacement);
        };
    }

    private static HttpRequest request(SecurityEvent event) {
        if (event instanceof HttpRequest request) {
            return request;
        }
        throw new Inapplicable("the event is not an HTTP request");
    }

    private static SecurityEvent header(SecurityEvent event, Header target, Replacement replacement) {
        Headers headers = event instanceof HttpResponse response
                ? response.headers()
                : request(event).headers();
        String value = headers.value(target.name())
                .orElseThrow(() -> new Inapplicable("the header " + target.name() + " is not there"));
        Headers changed = headers.with(target.name(), replacement.require(value));
        return event instanceof HttpResponse response
                ? response.withHeaders(changed)
                : request(event).withHeaders(changed);
    }

    /// A body that is not text would come out damaged.
    private static SecurityEvent body(SecurityEvent event, Replacement replacement) {
        Body body = event instanceof HttpResponse response
                ? response.body()
                : request(event).body();
        if (!(body instanceof Body.Text text) || text.isBinary()) {
            throw new Inapplicable("there is no body that is text");
        }
        Body changed = Body.of(replacement.require(text.text()).getBytes(StandardCharsets.UTF_8), text.contentType());
        if (changed instanceof Body.TooLarge) {
            throw new Inapplicable("the changed body would be too large");
        }
        return event instanceof HttpResponse response
                ? response.withBody(changed)
                : request(event).withBody(changed);
    }

    private static SecurityEvent structure(SecurityEvent event, Structure target, Replacement replacement) {
        Optional<JsonDocument> document = switch (event) {
            case McpRequest request -> request.arguments();
            case McpResponse response -> response.content();
            default -> throw new Inapplicable("the event is not an MCP message");
        };
        Object root = document.orElseThrow(() -> new Inapplicable("there is nothing to change"))
                .root();
        JsonDocument changed = JsonDocument.of(at(root, target.members(), replacement));
        return event instanceof McpRequest request
                ? request.withArguments(changed)
                : ((McpResponse) event).withContent(changed);
    }

    private static Object at(Object value, List<String> members, Replacement replacement) {
        if (members.isEmpty()) {
            boolean[] found = {false};
            Object changed = everywhere(value, replacement, found);
            if (!found[0]) {
                throw new Inapplicable("the pattern does not occur");
            }
            return changed;
        }
        Object member = value instanceof Map<?, ?> map ? map.get(members.get(0)) : null;
        if (member == null) {
            throw new Inapplicable(members.get(0) + " is not there");
        }
        Map<Object, Object> copy = new LinkedHashMap<>((Map<?, ?>) value);
        copy.put(members.get(0), at(member, members.subList(1, members.size()), replacement));
        return copy;
    }

    /// Every text below, but no keys: those belong to the tool.
    private static Object everywhere(Object value, Replacement replacement, boolean[] found) {
        return switch (value) {
            case String text -> {
                Optional<String> changed = replacement.apply(text);
                found[0] |= changed.isPresent();
                yield changed.orElse(text);
            }
            case List<?> list -> {
                List<Object> copy = new ArrayList<>();
                list.forEach(element -> copy.add(everywhere(element, replacement, found)));
                yield copy;
            }
            case Map<?, ?> map -> {
                Map<Object, Object> copy = new LinkedHashMap<>();
                map.forEach((key, member) -> copy.put(key, everywhere(member, replacement, found)));
                yield copy;
            }
            default -> value;
        };
    }

    /// Stays within this package: why a rewrite does not fit.
    static final class Inapplicable extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String reason;

        Inapplicable(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }
    }
}
