package dev.capsem.policy.property;

import dev.capsem.policy.manifest.Manifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Random manifests from a small alphabet, so that paths nest, hosts repeat and directories collide often.
final class ManifestGenerator {
    private static final List<String> SEGMENTS = List.of("a", "b", "-c", "D", "d", "e.txt", "tmp", "_x", "p3.11", "ä");
    private static final List<String> HOSTS = List.of(
            "*",
            "h.example",
            "api.h.example",
            "*.h.example",
            "10.0.0.1",
            "93.184.216.34",
            "\"2001:db8::1\"",
            "localhost",
            "10.evil.example",
            "169.254.169.254");
    private static final List<String> FS_ACTIONS = List.of("read", "write", "create", "delete");

    private final Random random;

    ManifestGenerator(long seed) {
        this.random = new Random(seed);
    }

    Manifest manifest() {
        List<Manifest.Tool> tools = new ArrayList<>();
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            tools.add(Manifest.Tool.of("tool" + i, capabilities()));
        }
        return Manifest.of("generated", "1", tools.toArray(Manifest.Tool[]::new))
                .withServerCapabilities(capabilities());
    }

    private String[] capabilities() {
        String[] capabilities = new String[random.nextInt(6)];
        for (int i = 0; i < capabilities.length; i++) {
            capabilities[i] = capability();
        }
        return capabilities;
    }

    String capability() {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> "fs:" + actions() + ":" + path();
            case 4, 5 -> "net:connect:" + pick(HOSTS) + (random.nextBoolean() ? ":" + pick(List.of("80", "443")) : "");
            case 6 ->
                "exec:spawn:" + pick(List.of("git", "sh", "chromium"))
                        + (random.nextInt(4) == 0 ? "?nestedSandbox=true" : "");
            case 7 ->
                "env:" + pick(List.of("read", "inject", "read,inject")) + ":" + pick(List.of("A_B", "AB", "TOKEN"));
            case 8 ->
                "ipc:connect:"
                        + pick(List.of("x11", "\"unix:/run/a.sock\"", "\"dbus:system\"", "\"dbus:session\"", "other"));
            default -> pick(List.of("clock:system", "clock:tzdata", "assert:x", "assert:y:\"two: words\""));
        };
    }

    private String actions() {
        List<String> chosen = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            chosen.add(pick(FS_ACTIONS));
        }
        return String.join(",", chosen);
    }

    private String path() {
        StringBuilder path = new StringBuilder();
        int depth = random.nextInt(4);
        for (int i = 0; i < depth; i++) {
            path.append('/').append(pick(SEGMENTS));
        }
        return path
                + pick(depth == 0 ? List.of("/**", "/", "/*.log") : List.of("", "", "/", "/*", "/**", "/**", "/*.log"));
    }

    private String pick(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
