package dev.capsem.cli.host;

import dev.capsem.cli.command.CapsemCommand;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.launch.Sibling;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem bench`: the bench is a program of its own, so that what it measures does not run in its process.
@Command(
        footer = {
            "",
            "Prints the machine, its load, and p50, p95 and p99 beside their budgets, and writes JSON.",
            "A program that fails while it is measured has no number.",
            "Exit code 1: a part of capsem failed, or got slower than in the run compared with.",
            "",
            "Examples:",
            "  capsem bench",
            "  capsem bench --quick --compare bench-results/before.json",
            "  capsem bench sandbox cli --json results.json"
        })
public final class BenchCommand implements CapsemCommand {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "The JSON file to write (default: bench-results/latest.json).")
    String json = "";

    @Option(
            names = "--quick",
            description = "Measure for about two minutes: sandbox, cli, writer and net, unless parts are named.")
    boolean isQuick;

    @Option(
            names = "--compare",
            paramLabel = "FILE",
            description = "Name what got slower since the run that wrote this file, beyond what peers differ by.")
    String earlier = "";

    @Parameters(
            arity = "0..*",
            paramLabel = "PART",
            description =
                    "Only these parts: sandbox, memory, peers, cli, hostmcp, writer, policy, rules, net, sse, tap,"
                            + " broker, dns, mcp.")
    List<String> parts = new ArrayList<>();

    private final CliContext context;

    public BenchCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public int run() {
        List<String> arguments = new ArrayList<>(parts);
        if (!json.isEmpty()) {
            arguments.addAll(List.of("--json", json));
        }
        if (isQuick) {
            arguments.add("--quick");
        }
        if (!earlier.isEmpty()) {
            arguments.addAll(List.of("--compare", earlier));
        }
        var bench = new Sibling(context.dist(), "capsem-bench");
        return bench.run(arguments)
                .orElseThrow(() -> CliProblem.of(
                        "program_missing", "there is no program " + bench.program(), "build it: ./capsem build"));
    }
}
