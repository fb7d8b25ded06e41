package dev.capsem.sandboxserver.repeat;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Makes a repeated request create one thing: the second of the same key gets the answer of the first, also across a
/// restart, for 24 hours. A request that failed, or whose thing is gone, frees its key.
public final class IdempotencyKeys {
    static final Duration LIFE = Duration.ofHours(24);
    static final int KEYS_MAX = 1_000;
    private static final Pattern VALID = Pattern.compile("[!-~]{1,255}");

    /// @param request a hash of what was asked: the same key must not mean two things
    private record Entry(String request, Instant at, CompletableFuture<JsonNode> answer) {
        boolean isOlderThan(Instant limit) {
            return answer.isDone() && at.isBefore(limit);
        }
    }

    private final StateFile file;
    private final Clock clock;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    public IdempotencyKeys(StateFile file, Clock clock) {
        this.file = file;
        this.clock = clock;
        file.read(IdempotencyKeys::entries).ifPresent(entries::putAll);
    }

    private static Map<String, Entry> entries(JsonNode file) {
        return JsonMembers.of(file, "").objects("keys").stream()
                .collect(Collectors.toMap(
                        json -> json.text("key"),
                        json -> new Entry(
                                json.text("request"),
                                Instant.parse(json.text("at")),
                                CompletableFuture.completedFuture(
                                        json.node("answer").orElseGet(Json::object)))));
    }

    /// @param kind keys of different kinds have nothing to do with one another
    /// @param request what is asked, in any stable form
    /// @param isThere is the thing of an earlier answer still there?
    public JsonNode once(
            String kind,
            Optional<String> key,
            String request,
            Predicate<JsonNode> isThere,
            Supplier<? extends JsonNode> work) {
        if (key.isEmpty()) {
            return work.get();
        }
        if (!VALID.matcher(key.get()).matches()) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "the Idempotency-Key is not 1 to 255 visible ASCII characters",
                    "send for example 32 hex digits");
        }
        String name = kind + " " + key.get();
        Entry mine = new Entry(hash(request), clock.instant(), new CompletableFuture<>());
        while (true) {
            forget();
            Entry earlier = entries.putIfAbsent(name, mine);
            if (earlier == null) {
                return first(name, mine, work);
            }
            Optional<JsonNode> replay = replay(earlier, mine, isThere);
            if (replay.isPresent()) {
                return replay.get();
            }
            entries.remove(name, earlier);
        }
    }

    private JsonNode first(String name, Entry mine, Supplier<? extends JsonNode> work) {
        boolean made = false;
        try {
            JsonNode answer = work.get();
            made = true;
            mine.answer.complete(answer);
            save();
            return answer;
        } finally {
            if (!made) {
                entries.remove(name, mine);
                mine.answer.cancel(false);
            }
        }
    }

    /// Waits for one that is still at work.
    private static Optional<JsonNode> replay(Entry earlier, Entry mine, Predicate<JsonNode> isThere) {
        if (!earlier.request.equals(mine.request)) {
            throw ApiProblem.unprocessable(
                    "this Idempotency-Key was used for another request", "use a fresh key for each thing to create");
        }
        try {
            return Optional.of(earlier.answer.join()).filter(isThere);
        } catch (CancellationException | CompletionException e) {
            return Optional.empty();
        }
    }

    private void forget() {
        Instant limit = clock.instant().minus(LIFE);
        entries.values().removeIf(entry -> entry.isOlderThan(limit));
        while (entries.size() >= KEYS_MAX) {
            Optional<Map.Entry<String, Entry>> oldest = entries.entrySet().stream()
                    .filter(entry -> entry.getValue().answer.isDone())
                    .min(Comparator.comparing(entry -> entry.getValue().at));
            if (oldest.isEmpty()) {
                return;
            }
            entries.remove(oldest.get().getKey());
        }
    }

    /// One at a time, so that the last to write has seen all.
    private synchronized void save() {
        ObjectNode json = Json.object();
        ArrayNode keys = json.putArray("keys");
        entries.forEach((name, entry) -> {
            if (entry.answer.state() == Future.State.SUCCESS) {
                ObjectNode kept = Json.object()
                        .put("key", name)
                        .put("request", entry.request)
                        .put("at", entry.at.toString());
                kept.set("answer", entry.answer.resultNow());
                keys.add(kept);
            }
        });
        file.write(json);
    }

    private static String hash(String request) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(request.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
