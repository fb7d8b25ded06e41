package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandbox.Abilities;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.records.LogFiles;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.views.SandboxViews;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.StatusReply;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Routes about the service itself.
public final class ServiceApi implements Api {
    private static final int LOG_BYTES_MAX = 100 * 1_024;

    private final SandboxEngine host;
    private final SandboxDriver driver;
    private final HomeLayout layout;
    private final String version;
    private final int sandboxesMax;
    private final Clock clock;
    private final Instant startedAt;
    private final Supplier<List<StatusReply.Problem>> faults;
    private final Runnable shutdown;

    /// @param faults what is wrong beside the host itself
    /// @param shutdown asks the program to end; returns at once
    public ServiceApi(
            SandboxEngine host,
            SandboxDriver driver,
            HomeLayout layout,
            String version,
            int sandboxesMax,
            Clock clock,
            Supplier<List<StatusReply.Problem>> faults,
            Runnable shutdown) {
        this.host = host;
        this.driver = driver;
        this.layout = layout;
        this.version = version;
        this.sandboxesMax = sandboxesMax;
        this.clock = clock;
        this.startedAt = clock.instant();
        this.faults = faults;
        this.shutdown = shutdown;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/version", this::version).answers("{version}", "The service's version."),
                Route.get("/status", this::status)
                        .answers(
                                "{version, pid, uptime_secs, home, driver, abilities, problems, sandboxes, sandboxes_max, spare, "
                                        + "ipc_drops, dropped_events}",
                                "The service, this host's abilities and problems."),
                Route.post("/shutdown", OPTIONAL_JSON, this::shutdown)
                        .answers("{success}", "Ends the service; sandboxes go on and the next service adopts them."),
                Route.get("/service-logs", this::logs)
                        .answers("text/plain", "The last 100 KiB of the service's log, from the first whole line."),
                Route.get("/events", this::events)
                        .answers(
                                "text/event-stream", "What happens in all sandboxes, or in ?sandbox=, as it happens."));
    }

    HttpAnswer version(RouteCall call) {
        return HttpAnswer.json(Json.object().put("version", version));
    }

    HttpAnswer status(RouteCall call) {
        Map<String, Long> counts = host.sandboxes().all().stream()
                .collect(Collectors.groupingBy(
                        (Sandbox sandbox) -> sandbox.status().wireName().toLowerCase(Locale.ROOT),
                        Collectors.counting()));
        SandboxViews.Gaps gaps = host.views().gaps();
        StatusReply reply = new StatusReply(
                version,
                ProcessHandle.current().pid(),
                Duration.between(startedAt, clock.instant()).toSeconds(),
                layout.home().toString(),
                driver.name(),
                abilities(driver.abilities(), gaps.auditOff()),
                problems(),
                counts,
                sandboxesMax,
                new StatusReply.Spare(host.sparesWanted(), host.sparesReady()),
                host.drops().count(),
                gaps.droppedEvents());
        return HttpAnswer.json(reply.toJson());
    }

    private List<StatusReply.Problem> problems() {
        Stream<StatusReply.Problem> ofHost = host.sandboxes().fitness().trialProblems().stream()
                .map(problem -> new StatusReply.Problem(problem.code(), problem.cause(), problem.remedy()));
        return Stream.concat(ofHost, faults.get().stream()).toList();
    }

    /// @param auditOff only sandboxes find out: the kernel refuses it to them
    private static Map<String, String> abilities(Abilities abilities, List<String> auditOff) {
        Map<String, String> named = new HashMap<>(Map.of(
                "suspend", abilities.suspend().name().toLowerCase(Locale.ROOT),
                "memory_limit", abilities.memoryLimit().name().toLowerCase(Locale.ROOT),
                "cpu_limit", Boolean.toString(abilities.cpuLimit()),
                "copy_on_write_project", Boolean.toString(abilities.copyOnWriteProject()),
                "kernel_counts", abilities.kernelCounts().name().toLowerCase(Locale.ROOT)));
        auditOff.stream()
                .findFirst()
                .ifPresent(reason ->
                        named.put("exec_audit", "off in " + auditOff.size() + " of the running sandboxes: " + reason));
        return named;
    }

    HttpAnswer shutdown(RouteCall call) {
        return new HttpAnswer.Last(Json.object().put("success", true), shutdown);
    }

    HttpAnswer logs(RouteCall call) {
        byte[] text = LogFiles.tail(layout.serviceLog(), LOG_BYTES_MAX).getBytes(StandardCharsets.UTF_8);
        return new HttpAnswer.Content("text/plain; charset=utf-8", text, Optional.empty());
    }

    HttpAnswer events(RouteCall call) {
        // Unknown ones are refused before the stream begins.
        Optional<SandboxId> only =
                call.query("sandbox").map(id -> host.sandboxes().find(id).id());
        return new HttpAnswer.Stream(
                "text/event-stream",
                sink -> host.liveEvents().watch(id -> only.map(id::equals).orElse(true), sink::write));
    }
}
