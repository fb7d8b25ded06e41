package dev.capsem.sandboxmcp.tools;

import dev.capsem.toolserver.Prompt;
import dev.capsem.toolserver.Prompt.Blank;
import java.util.List;

/// Beginnings for people who work with sandboxes.
final class Prompts {
    static final List<Prompt> ALL = List.of(
            new Prompt(
                    "run_in_sandbox",
                    "Run something in a sandbox",
                    "Does a task in a fresh sandbox and cleans up.",
                    List.of(
                            new Blank("task", "What to do there.", true),
                            new Blank("pool", "The pool to create from; default if left out.", false)),
                    given -> "Create a sandbox from the pool \"" + given.getOrDefault("pool", "default")
                            + "\" with sandbox_create. In it, with sandbox_exec, sandbox_write_file and"
                            + " sandbox_read_file, do this: " + given.getOrDefault("task", "")
                            + "\nReport what you ran and what came of it, then end the sandbox with"
                            + " sandbox_terminate, also if something failed."),
            new Prompt(
                    "compare_in_forks",
                    "Try several ways from one state",
                    "Forks a sandbox, tries one way in each copy, compares.",
                    List.of(
                            new Blank("sandbox", "The sandbox to start from.", true),
                            new Blank("ways", "The ways to try, one a line.", true)),
                    given -> "Fork the sandbox " + given.getOrDefault("sandbox", "")
                            + " with sandbox_fork, one copy for each of these ways, and try each in its own copy:\n"
                            + given.getOrDefault("ways", "")
                            + "\nCompare the results, say which way is best and why, and terminate all copies."
                            + " Leave the first sandbox as it is."));

    private Prompts() {}
}
