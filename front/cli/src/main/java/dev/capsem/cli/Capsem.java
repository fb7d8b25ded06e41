package dev.capsem.cli;

import dev.capsem.cli.command.CapsemCommand;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.CommandEntry;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.OutputOptions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ServiceError;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;

/// Finds the command that was asked for, runs it, and turns whatever happens into words and an exit code.
public final class Capsem {
    /// Codes of the service that mean a mistyped word.
    private static final Set<String> USAGE_CODES = Set.of(
            "bad_name",
            "bad_limit",
            "bad_path",
            "bad_project",
            "bad_mount",
            "bad_profile",
            "bad_environment",
            "bad_secret",
            "bad_grant",
            "bad_rule_id",
            "bad_event",
            "bad_query",
            "bad_sql",
            "wrong_shape");

    /// Words that other programs have taught people.
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry("ps", "list the sandboxes: `capsem list`; what runs in one: `capsem exec SANDBOX -- ps aux`"),
            Map.entry("deny", "refuse a question: `capsem approvals deny ID`; block for good: `capsem rules add FILE`"),
            Map.entry("approve", "answer a question: `capsem approvals approve ID`"),
            Map.entry("--json", "options come after the command, for example: `capsem list --json`"),
            Map.entry("doctor", "see what this host can do and what is wrong: `capsem status`"),
            Map.entry("check", "see what this host can do and what is wrong: `capsem status`"),
            Map.entry(
                    "port",
                    "no port of a sandbox is reachable from outside; talk to it from within: `capsem exec"
                            + " SANDBOX -- curl http://localhost:PORT/`"),
            Map.entry(
                    "ports",
                    "no port of a sandbox is reachable from outside; talk to it from within: `capsem exec"
                            + " SANDBOX -- curl http://localhost:PORT/`"),
            Map.entry("start", "make a sandbox: `capsem create`; start a stopped one: `capsem resume SANDBOX`"),
            Map.entry("kill", "stop a sandbox: `capsem stop SANDBOX`"),
            Map.entry("attach", "open a terminal in a sandbox: `capsem shell SANDBOX`"),
            Map.entry("ssh", "open a terminal in a sandbox: `capsem shell SANDBOX`"),
            Map.entry("login", "keep a credential: `capsem secret set NAME`; make a token: `capsem token create`"),
            Map.entry("log", "show the logs of a sandbox: `capsem logs SANDBOX`"),
            Map.entry("config", "see what is in force: `capsem profiles show`"),
            Map.entry("images", "copy a sandbox instead: `capsem create --from SANDBOX`"));

    private static final Set<String> AGENTS = Set.of("aider", "amp", "goose", "node", "npm", "python", "bash", "sh");

    private final CliContext context;
    private final Screen screen;

    public Capsem(CliContext context) {
        this.context = context;
        this.screen = context.screen();
    }

    public int run(List<String> arguments) {
        if (isForProgram(arguments)) {
            screen.withoutProgress();
        }
        try {
            return dispatch(arguments);
        } catch (CliProblem problem) {
            report(problem.error(), arguments);
            return problem.exitCode();
        } catch (ServiceCallException refused) {
            report(refused.error(), arguments);
            return exitCode(refused.error().code());
        } catch (JsonShapeException surprise) {
            String cause = "the service's answer is not what this program expects: " + surprise.reason();
            report(new ServiceError(cause, "bad_answer", "are capsem and the service of the same version?"), arguments);
            return ExitCode.OURS;
        } catch (UncheckedIOException failure) {
            report(
                    new ServiceError(
                            String.valueOf(failure.getMessage()), "io_error", "is the disk full, or read-only? `df .`"),
                    arguments);
            return ExitCode.OURS;
        } finally {
            screen.out().flush();
            screen.err().flush();
        }
    }

    private static int exitCode(String code) {
        if (code.equals(ExitCode.BLOCKED_CODE)) {
            return ExitCode.BLOCKED;
        }
        return USAGE_CODES.contains(code) ? ExitCode.USAGE : ExitCode.OURS;
    }

    private int dispatch(List<String> arguments) {
        String word = arguments.isEmpty() ? "--help" : arguments.getFirst();
        if (word.equals("--help") || word.equals("-h")) {
            printCommands();
            return ExitCode.DONE;
        }
        if (word.equals("help")) {
            var asked = new ArrayList<>(arguments.subList(1, arguments.size()));
            asked.add("--help");
            return dispatch(asked);
        }
        if (word.equals("--version") || word.equals("-V")) {
            return dispatch(List.of("version"));
        }
        if (word.equals("--train")) {
            return new Training(context).run();
        }
        Optional<CommandTable.Found> found = CommandTable.find(arguments);
        if (found.isPresent()) {
            int words = found.get().words();
            return run(found.get().entry(), arguments.subList(words, arguments.size()));
        }
        if (!CommandTable.FAMILIES.containsKey(word)) {
            throw unknown(word);
        }
        if (arguments.size() > 1 && !List.of("--help", "-h").contains(arguments.get(1))) {
            throw unknown(word + " " + arguments.get(1));
        }
        printFamily(word);
        return ExitCode.DONE;
    }

    private int run(CommandEntry entry, List<String> arguments) {
        CapsemCommand command = entry.create(context);
        if (takePlain(command, arguments)) {
            return command.run();
        }
        CommandLine line = entry.commandLine(command, screen.outInk());
        try {
            line.parseArgs(arguments.toArray(String[]::new));
        } catch (CommandLine.ParameterException mistake) {
            throw CliProblem.usage(String.valueOf(mistake.getMessage()), "see `capsem " + entry.name() + " --help`");
        }
        if (line.isUsageHelpRequested()) {
            line.getUsageMessage().lines().forEach(screen::advise);
            return ExitCode.DONE;
        }
        return command.run();
    }

    /// Arguments without options but the common ones, which need no picocli.
    private static boolean takePlain(CapsemCommand command, List<String> arguments) {
        var output = new OutputOptions();
        var words = new ArrayList<String>();
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i);
            if (word.equals("--")) {
                words.addAll(arguments.subList(i + 1, arguments.size()));
                break;
            }
            boolean isWord = !word.startsWith("-") || word.equals("-");
            if (isWord && command.takesGuestCommand()) {
                words.addAll(arguments.subList(i, arguments.size()));
                break;
            }
            if (isWord) {
                words.add(word);
            } else if (!output.take(word)) {
                return false;
            }
        }
        return command.takePlain(output, words);
    }

    private void printCommands() {
        Ink ink = screen.outInk();
        screen.print("capsem: sealed sandboxes for AI agents, with one guarded door");
        screen.print("");
        screen.advise(ink.bold("Usage:") + " capsem [--uds-path PATH] COMMAND [ARGUMENTS]");
        var families = new HashMap<String, CommandEntry.Group>();
        for (CommandEntry.Group group : CommandEntry.Group.values()) {
            screen.print("");
            screen.print(ink.bold(group.title()));
            for (CommandEntry entry : CommandTable.ENTRIES) {
                if (entry.group() == group) {
                    printOnce(entry, families);
                }
            }
        }
        screen.print("");
        screen.advise("`capsem COMMAND --help` has options and examples. Every command takes --json.");
        screen.print("Exit codes: the guest command's own; 125 when capsem itself failed; 126 when a rule blocked the");
        screen.print(
                "command; 2 for a usage mistake; 1 when the answer is no (verify, rules check, rules test, apply, …).");
    }

    /// A family has one line in the group of its first command; a command of it that is in another group has its own.
    private void printOnce(CommandEntry entry, Map<String, CommandEntry.Group> families) {
        Optional<String> family = entry.family();
        boolean isFirst = family.isPresent() && families.putIfAbsent(family.get(), entry.group()) == null;
        if (family.isEmpty() || (!isFirst && families.get(family.get()) != entry.group())) {
            screen.print("  %-14s%s".formatted(entry.names(), entry.summary()));
        } else if (isFirst && CommandTable.FAMILIES.containsKey(family.get())) {
            screen.print("  %-14s%s".formatted(family.get(), CommandTable.FAMILIES.get(family.get())));
        }
    }

    private void printFamily(String family) {
        Ink ink = screen.outInk();
        screen.print(CommandTable.FAMILIES.getOrDefault(family, family));
        screen.print("");
        screen.advise(ink.bold("Usage:") + " capsem " + family + " COMMAND [ARGUMENTS]");
        screen.print("");
        for (CommandEntry entry : CommandTable.ENTRIES) {
            if (entry.family().filter(family::equals).isPresent()) {
                screen.print("  %-14s%s".formatted(entry.lastWord(), entry.summary()));
            }
        }
        screen.print("");
        screen.advise("`capsem " + family + " COMMAND --help` has options and examples.");
    }

    private static CliProblem unknown(String word) {
        Optional<String> remedy = AGENTS.contains(word)
                ? Optional.of("run it in a sandbox, with your project: `capsem run -t --workspace . -- " + word + "`")
                : Optional.ofNullable(ELSEWHERE.get(word));
        if (remedy.isPresent()) {
            return CliProblem.usage("there is no command \"" + word + "\"", remedy.get());
        }
        Optional<String> close = CommandTable.ENTRIES.stream()
                .flatMap(entry -> Stream.concat(Stream.of(entry.name()), entry.family().stream()))
                .distinct()
                .filter(name -> name.startsWith(word) || distance(name, word) <= 2)
                .min(Comparator.comparingInt(name -> distance(name, word)));
        return CliProblem.usage(
                "there is no command \"" + Printable.line(word) + "\"",
                close.map(name -> "did you mean `capsem " + name + "`?").orElse("see `capsem --help`"));
    }

    /// How many letters to add, drop or change.
    private static int distance(String one, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }

    private static boolean isForProgram(List<String> arguments) {
        int end = arguments.indexOf("--");
        return arguments.subList(0, end < 0 ? arguments.size() : end).contains("--json");
    }

    private void report(ServiceError error, List<String> arguments) {
        if (isForProgram(arguments)) {
            // For programs: as the service said it.
            screen.err().print(Json.text(error.toJson()) + "\n");
            return;
        }
        Ink ink = screen.errInk();
        String code = error.code().isEmpty() || error.code().equals("usage") ? "" : " [" + error.code() + "]";
        screen.remark(ink.red("capsem: ") + Printable.text(error.error()) + ink.faint(code));
        if (!error.remedy().isEmpty()) {
            screen.remark("  → " + Printable.text(error.remedy()));
        }
    }
}
