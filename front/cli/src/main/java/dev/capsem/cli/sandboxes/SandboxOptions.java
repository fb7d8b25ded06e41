package dev.capsem.cli.sandboxes;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/// Options of every command that makes a sandbox.
final class SandboxOptions {
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

    /// Whether any of them was given.
    boolean isAny() {
        return name.isPresent()
                || memoryMb.isPresent()
                || cpus.isPresent()
                || profile.isPresent()
                || budget.isPresent()
                || !env.isEmpty();
    }
}
