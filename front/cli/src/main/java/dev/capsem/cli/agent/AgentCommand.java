package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.AgentRecipe;
import dev.capsem.cli.agent.recipe.RecipeShelf;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.sandboxes.Interruption;
import dev.capsem.cli.sandboxes.SandboxOptions;
import dev.capsem.cli.sandboxes.TerminalSession;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/// `capsem agent NAME`, and `capsem claude` and its like.
@Command(
        footer = {
            "",
            "Runs an agent of yours in a sandbox with this project, copied on write. Its installation is seen",
            "inside, read-only; its login stays here: inside is a stand-in, which the door replaces on the way to",
            "the model's host. .env and its like are shown empty. At the end you see what it did and decide:",
            "a branch, a merge into your files, keep, or discard. Without a terminal the work is kept and you are",
            "told the commands. Everything after -- is for the agent.",
            "",
            "Examples:",
            "  capsem claude",
            "  capsem claude --yolo -- -p \"fix the tests\"",
            "  capsem codex --budget 2usd",
            "  capsem claude --resume app-1",
            "  capsem agent my-agent --unattended -- --task 'update the docs'"
        })
public final class AgentCommand extends PrintingCommand {
    private final Optional<String> fixed;

    @Mixin
    SandboxOptions sandbox = new SandboxOptions();

    @Option(names = "--workspace", paramLabel = "DIR", description = "The project (default: this directory).")
    Optional<Path> workspace = Optional.empty();

    @Option(names = "--yolo", description = "Let the agent work without its own questions: the sandbox is the guard.")
    boolean yolo;

    @Option(names = "--unattended", description = "Nobody is here: no terminal, and every question is refused.")
    boolean unattended;

    @Option(names = "--no-hide", description = "Show .env and its like as they are.")
    boolean shows;

    @Option(names = "--resume", paramLabel = "SANDBOX", description = "Go on in the sandbox of an earlier run.")
    Optional<String> resumed = Optional.empty();

    @Parameters(
            arity = "0..*",
            paramLabel = "ARGS",
            description = "NAME of the agent, if it is not said yet; then -- and its arguments.")
    List<String> words = new ArrayList<>();

    public AgentCommand(CliContext context) {
        this(context, Optional.empty());
    }

    /// @param fixed the agent that the command is named after
    public AgentCommand(CliContext context, Optional<String> fixed) {
        super(context);
        this.fixed = fixed;
    }

    @Override
    public boolean takesGuestCommand() {
        return fixed.isPresent();
    }

    @Override
    public int run() {
        List<String> given = new ArrayList<>(words);
        String name = fixed.orElseGet(() -> given.isEmpty() ? "" : given.removeFirst());
        if (!given.isEmpty() && given.getFirst().equals("--")) {
            given.removeFirst();
        }
        if (name.isEmpty() || name.equals("--")) {
            throw CliProblem.usage("which agent?", "see which there are: `capsem agent list`");
        }
        AgentHome home = AgentHome.of(context);
        AgentRecipe recipe = recipe(home.shelf(), name);
        Path project = project();
        var run = new AgentRun(context, recipe, home.user());
        AgentRun.Ready ready = resumed.isPresent() ? run.resume(resumed.get()) : run.begin(project, sandbox, !shows);
        List<String> arguments = new ArrayList<>(yolo ? recipe.yolo() : List.of());
        arguments.addAll(given);
        return work(ready, arguments, project);
    }

    static AgentRecipe recipe(RecipeShelf shelf, String name) {
        RecipeShelf.Entry entry = shelf.find(name)
                .orElseThrow(() -> CliProblem.usage(
                        "there is no agent \"" + Printable.line(name) + "\"",
                        "see which there are: `capsem agent list`; add one: `capsem agent add FILE`"));
        return entry.reading()
                .recipe()
                .orElseThrow(() -> CliProblem.usage(
                        "the recipe of " + name + " has a mistake: "
                                + entry.reading().problems().getFirst(),
                        "see all of them: `capsem agent show " + name + "`"));
    }

    private Path project() {
        Path path = workspace.map(context.directory()::resolve).orElse(context.directory());
        try {
            Path real = path.toRealPath();
            if (Files.isDirectory(real) && real.getFileName() != null) {
                return real;
            }
        } catch (IOException missing) {
            // Said below.
        }
        throw CliProblem.usage(path + " is no project", "go to a project's directory, or name it: --workspace DIR");
    }

    private int work(AgentRun.Ready ready, List<String> arguments, Path project) {
        Instant began = context.clock().instant();
        var isOver = new AtomicBoolean();
        try (var _ = Interruption.runs(() -> {
            if (isOver.compareAndSet(false, true)) {
                review(ready.id(), project).keep();
            }
        })) {
            ExecRequest request = ready.request(arguments, terminalVariables());
            if (output.isJson()) {
                ExecReply reply = context.service().exec(ready.id(), request);
                ObjectNode json = reply.toJson();
                json.setAll(summary(ready, began).toJson());
                output.print(context.screen(), json);
                context.service().stop(ready.id());
                return reply.exitCode();
            }
            var session = new TerminalSession(context);
            int exitCode = start(session, ready.id(), request);
            WorkSummary summary = summary(ready, began);
            summary.lines().forEach(context.screen()::remark);
            if (isOver.compareAndSet(false, true)) {
                var review = new WorkReview(context, ready.id(), summary.diff(), hasRepository(project));
                if (isAttended()) {
                    review.ask(session.keys());
                } else {
                    review.keep();
                }
            }
            return exitCode;
        }
    }

    private int start(TerminalSession session, String id, ExecRequest request) {
        if (unattended) {
            return session.runUnattended(id, request);
        }
        Screen.Terminals terminals = context.screen().terminals();
        return terminals.in() && terminals.out()
                ? session.runWithTerminal(id, request)
                : session.runWithPipes(id, request);
    }

    private boolean isAttended() {
        Screen.Terminals terminals = context.screen().terminals();
        return !unattended && terminals.in() && terminals.err();
    }

    private Map<String, String> terminalVariables() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String name : List.of("TERM", "COLORTERM")) {
            Optional.ofNullable(context.environment().get(name)).ifPresent(value -> variables.put(name, value));
        }
        return variables;
    }

    private WorkSummary summary(AgentRun.Ready ready, Instant began) {
        long seconds = context.clock().instant().getEpochSecond() - began.getEpochSecond();
        return Progress.during(
                context.screen(),
                "looking at what it did",
                () -> new AgentRecord(context.service(), ready.id())
                        .summary(seconds, ready.budget(), diff(ready.id())));
    }

    private DiffReply diff(String id) {
        return context.service().diff(id, List.of());
    }

    private WorkReview review(String id, Path project) {
        return new WorkReview(context, id, diff(id), hasRepository(project));
    }

    private static boolean hasRepository(Path project) {
        for (Path at = project; at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(".git"))) {
                return true;
            }
        }
        return false;
    }
}
