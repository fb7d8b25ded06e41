package dev.capsem.process.record;

import java.util.List;
import java.util.Locale;

/// What kind of command was asked for, by its program's name.
enum CommandClass {
    SHELL,
    PYTHON,
    JAVASCRIPT,
    RUST,
    NETWORK,
    OTHER;

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static CommandClass of(List<String> argv) {
        return switch (argv.isEmpty() ? "" : withoutVersion(program(argv.getFirst()))) {
            case "sh", "bash", "dash", "zsh", "fish", "busybox" -> SHELL;
            case "python", "pip", "pytest", "uv", "poetry" -> PYTHON;
            case "node", "npm", "npx", "yarn", "pnpm", "bun", "deno" -> JAVASCRIPT;
            case "cargo", "rustc", "rustup" -> RUST;
            case "curl", "wget", "ssh", "scp", "nc", "git", "rsync" -> NETWORK;
            default -> OTHER;
        };
    }

    static String program(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /// `python3.11` is python.
    private static String withoutVersion(String program) {
        int end = program.length();
        while (end > 0 && (Character.isDigit(program.charAt(end - 1)) || program.charAt(end - 1) == '.')) {
            end--;
        }
        return program.substring(0, end);
    }
}
