package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.ProvisionRequest.HostMount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// Options of every command that makes a sandbox.
public final class SandboxOptions {
    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "Its name: letters, digits, - and _.")
    Optional<String> name = Optional.empty();

    @Option(
            names = "--ram",
            paramLabel = "SIZE",
            converter = Quantities.Memory.class,
            description = "Memory: MB, or like 512m, 2g.")
    Optional<Integer> memoryMb = Optional.empty();

    @Option(names = "--cpu", paramLabel = "N", description = "How many CPUs, 1 to 8.")
    Optional<Integer> cpus = Optional.empty();

    @Option(
            names = {"-e", "--env"},
            paramLabel = "NAME[=VALUE]",
            description = "Set a variable for the sandbox; NAME alone copies your own value.")
    List<String> env = new ArrayList<>();

    @Option(
            names = "--profile",
            paramLabel = "ID",
            description = "Run it under this profile instead of the chosen one; see `capsem profiles list`.")
    Optional<String> profile = Optional.empty();

    @Option(
            names = "--budget",
            paramLabel = "LIMIT",
            description = "What it may spend in its life: like 5usd, 200000tokens, 50requests.")
    Optional<String> budget = Optional.empty();

    @Option(
            names = {"-v", "--mount"},
            paramLabel = "PATH[:INSIDE]",
            description = "Show a file or directory of yours inside, read-only; may be repeated.")
    List<String> mounts = new ArrayList<>();

    /// The request of a caller that has its own wishes: what was typed stands before them.
    public ProvisionRequest onto(ProvisionRequest wished, CliContext context) {
        var environment = new LinkedHashMap<>(wished.env());
        environment.putAll(Environment.of(env, context.environment()));
        var shown = new ArrayList<>(wished.mounts());
        shown.addAll(mounts(context.directory()));
        return new ProvisionRequest(
                name.or(wished::name),
                memoryMb,
                cpus,
                wished.persistent(),
                environment,
                wished.from(),
                wished.project(),
                wished.profileId(),
                budget.or(wished::budget),
                shown,
                wished.hideSecrets());
    }

    public Optional<String> profile() {
        return profile;
    }

    public Optional<String> budget() {
        return budget;
    }

    /// What is to be shown, as the service takes it.
    List<HostMount> mounts(Path workingDirectory) {
        return mounts.stream().map(text -> mount(text, workingDirectory)).toList();
    }

    private static HostMount mount(String text, Path workingDirectory) {
        int colon = text.indexOf(':');
        String source = colon < 0 ? text : text.substring(0, colon);
        Optional<String> target = colon < 0 ? Optional.empty() : Optional.of(text.substring(colon + 1));
        if (source.isEmpty() || target.filter(path -> !path.startsWith("/")).isPresent()) {
            throw CliProblem.usage(
                    "-v " + Printable.line(text) + " names no path", "write it like -v ~/data or -v ~/data:/mnt/data");
        }
        return new HostMount(workingDirectory.resolve(source).normalize().toString(), target);
    }

    /// Whether any of them was given.
    boolean isAny() {
        return name.isPresent()
                || memoryMb.isPresent()
                || cpus.isPresent()
                || profile.isPresent()
                || budget.isPresent()
                || !mounts.isEmpty()
                || !env.isEmpty();
    }
}
