package dev.capsem.cli.agent;

import dev.capsem.cli.agent.AgentLogins.Used;
import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.project.ProjectChoice;
import dev.capsem.cli.sandboxes.SandboxOptions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.ProvisionRequest.HostMount;
import dev.capsem.wire.service.ProvisionRequest.ProjectMount;
import dev.capsem.wire.service.SandboxSummary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Prepares a sandbox for an agent: its installation, its login, its settings, the project. Starts no agent itself.
final class AgentRun {
    private static final String PATH_INSIDE = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final int NAME_LENGTH_MAX = 40;
    /// Somebody else may take a name between our look and our wish.
    private static final int NAMES_TRIED_MAX = 20;

    private final CliContext context;
    private final Screen screen;
    private final AgentRecipe recipe;
    private final Path home;
    private final AgentFinder finder;

    AgentRun(CliContext context, AgentRecipe recipe, Path home) {
        this.context = context;
        this.screen = context.screen();
        this.recipe = recipe;
        this.home = home;
        this.finder = new AgentFinder(context.environment(), home);
    }

    /// A sandbox that is ready.
    ///
    /// @param command the agent, without the arguments of this run
    record Ready(String id, List<String> command, Map<String, String> environment, String directory, String budget) {
        ExecRequest request(List<String> arguments, Map<String, String> more) {
            var argv = new ArrayList<>(command);
            argv.addAll(arguments);
            var env = new LinkedHashMap<>(environment);
            env.putAll(more);
            return new ExecRequest(
                    new ExecRequest.Command.Argv(argv),
                    Optional.empty(),
                    env,
                    Optional.of(directory),
                    Optional.empty(),
                    Optional.of("run"));
        }
    }

    AgentFinder.Found find() {
        return finder.find(recipe)
                .orElseThrow(() -> CliProblem.of(
                        "agent_not_found",
                        recipe.title() + " is not installed here: there is no " + recipe.command() + " in "
                                + finder.places(recipe).stream()
                                        .map(this::shortened)
                                        .collect(Collectors.joining(", ")),
                        "install it as its makers say, for example with npm, or name its directory in a recipe:"
                                + " `capsem agent show " + recipe.name() + "`"));
    }

    /// In a sandbox of its own, with the project.
    Ready begin(Path project, SandboxOptions options, boolean hides) {
        AgentFinder.Found found = find();
        List<Used> logins = logins();
        Kept profile = profile(options.profile(), logins);
        ProvisionRequest wished = request(project, found, logins).withProfile(profile.id());
        ProvisionRequest request = options.onto(hides ? wished.withSecretsHidden() : wished, context);
        ProvisionReply made = provision(project, request);
        made.warnings().forEach(screen::warn);
        new AgentSettings(context.service(), home).bring(made.id(), recipe.settings());
        String budget = request.budget().orElse(recipe.budget());
        tell(found, logins, made, budget, profile);
        return new Ready(
                made.id(), found.command(), Map.of(), ProjectChoice.guestDirectory(project.toString()), budget);
    }

    /// In the sandbox that it worked in before.
    Ready resume(String id) {
        AgentFinder.Found found = find();
        SandboxSummary sandbox = context.service().sandbox(id);
        String project = sandbox.project()
                .orElseThrow(() -> CliProblem.usage(
                        id + " holds no project", "name a sandbox that an agent worked in: `capsem list`"));
        profile(sandbox.profileId().map(this::base), logins());
        if (!sandbox.status().equals("Running")) {
            Progress.during(screen, "resuming " + id, () -> context.service().resume(id))
                    .warnings()
                    .forEach(screen::warn);
        }
        return new Ready(id, found.command(), Map.of(), ProjectChoice.guestDirectory(project), recipe.budget());
    }

    private String base(String profile) {
        String suffix = "-" + recipe.name();
        if (!profile.endsWith(suffix)) {
            throw CliProblem.usage(
                    "that sandbox is not one of " + recipe.name() + ": its profile is " + Printable.line(profile),
                    "resume it with the agent that worked in it, or open it: `capsem shell SANDBOX`");
        }
        return profile.substring(0, profile.length() - suffix.length());
    }

    private List<Used> logins() {
        List<Used> logins = new AgentLogins(context.service(), context.environment(), finder).find(recipe);
        if (logins.isEmpty() && recipe.needsLogin()) {
            String variables = recipe.logins().stream()
                    .map(login -> "$" + login.variable())
                    .collect(Collectors.joining(", "));
            String secret = recipe.logins().isEmpty()
                    ? "NAME"
                    : recipe.logins().getFirst().name();
            throw CliProblem.of(
                    "no_login",
                    "no login of " + recipe.title() + " was found: neither " + variables
                            + ", nor a secret, nor its file",
                    "set the variable, or keep the key: `capsem secret set " + secret + "`");
        }
        return logins;
    }

    /// @param isNew whether it, or something in it, was not there before
    private record Kept(String id, boolean isNew) {}

    /// The agent's own profile, up to date.
    ///
    /// @param wished the profile to build on; empty for the one in use
    private Kept profile(Optional<String> wished, List<Used> logins) {
        String base = wished.orElseGet(
                () -> context.service().get("/profiles").path("chosen").asString("coding"));
        var profile = new AgentProfile(recipe, base);
        boolean isNew = context.service()
                .post("/profiles/keep", Json.object().put("id", profile.id()).put("text", profile.text(logins)))
                .path("changed")
                .asBoolean(false);
        return new Kept(profile.id(), isNew);
    }

    private ProvisionRequest request(Path project, AgentFinder.Found found, List<Used> logins) {
        Map<String, String> environment = new LinkedHashMap<>(recipe.env());
        logins.forEach(used -> used.baseUrl()
                .ifPresent(url -> environment.put(used.login().baseUrl().orElseThrow(), url)));
        if (!found.path().isEmpty()) {
            environment.put(
                    "PATH",
                    found.path().stream().map(Path::toString).collect(Collectors.joining(":")) + ":" + PATH_INSIDE);
        }
        return new ProvisionRequest(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        true,
                        environment,
                        Optional.empty(),
                        Optional.of(new ProjectMount(project.toString(), false)),
                        Optional.empty())
                .withBudget(Optional.of(recipe.budget()))
                .withMounts(found.mounts().stream()
                        .map(path -> new HostMount(path.toString(), Optional.empty()))
                        .toList());
    }

    private ProvisionReply provision(Path project, ProvisionRequest request) {
        try (var _ = Progress.of(screen, "starting a sandbox")) {
            if (request.name().isPresent()) {
                return context.service().provision(request);
            }
            Set<String> taken =
                    context.service().list().stream().map(SandboxSummary::id).collect(Collectors.toSet());
            String start = name(project);
            for (int number = 1, tried = 0; ; number++) {
                if (taken.contains(start + "-" + number)) {
                    continue;
                }
                try {
                    return context.service().provision(named(request, start + "-" + number));
                } catch (ServiceCallException refused) {
                    if (!refused.error().code().equals("name_taken") || ++tried == NAMES_TRIED_MAX) {
                        throw refused;
                    }
                }
            }
        }
    }

    private static ProvisionRequest named(ProvisionRequest request, String name) {
        return new ProvisionRequest(
                Optional.of(name),
                request.ramMb(),
                request.cpus(),
                request.persistent(),
                request.env(),
                request.from(),
                request.project(),
                request.profileId(),
                request.budget(),
                request.mounts(),
                request.hideSecrets());
    }

    static String name(Path project) {
        String plain = String.valueOf(project.getFileName())
                .replaceAll("[^A-Za-z0-9_-]", "-")
                .replaceFirst("^[^A-Za-z0-9]+", "");
        String name = plain.isEmpty() ? "project" : plain;
        return name.length() > NAME_LENGTH_MAX ? name.substring(0, NAME_LENGTH_MAX) : name;
    }

    private void tell(AgentFinder.Found found, List<Used> logins, ProvisionReply made, String budget, Kept profile) {
        Ink ink = screen.errInk();
        String hidden = made.hidden().isEmpty() ? "" : " · hidden: " + Printable.line(String.join(", ", made.hidden()));
        if (!profile.isNew()) {
            screen.remark(ink.faint(made.id() + ": " + recipe.name() + version(found) + ", budget " + budget + hidden));
            return;
        }
        screen.remark("first time: " + recipe.name() + version(found) + " from "
                + shortened(found.link().resolveSibling(""))
                + " (read-only inside)"
                + logins.stream()
                        .map(used -> shortened(used.source().shown()))
                        .collect(Collectors.joining(", ", logins.isEmpty() ? "" : ", login from ", "")));
        String hosts = logins.stream()
                .flatMap(
                        used -> used.baseUrl().map(List::of).orElse(used.login().hosts()).stream())
                .distinct()
                .collect(Collectors.joining(", "));
        if (!logins.isEmpty()) {
            screen.remark("  key     stays here; a placeholder inside, put in at the door for " + Printable.line(hosts)
                    + " only");
        }
        screen.remark("  hosts   those of the profile " + profile.id() + "; telemetry refused quietly" + hidden);
        screen.remark("  budget  " + budget + " (--budget)");
        screen.remark("  sandbox " + ink.bold(made.id()) + "; your project is copied on write");
    }

    private static String version(AgentFinder.Found found) {
        return found.version().map(number -> " " + Printable.line(number)).orElse("");
    }

    private String shortened(Path path) {
        return shortened(path.toString());
    }

    private String shortened(String path) {
        return Printable.line(
                path.startsWith(home + "/")
                        ? "~" + path.substring(home.toString().length())
                        : path);
    }
}
