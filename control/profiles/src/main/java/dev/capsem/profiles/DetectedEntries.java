package dev.capsem.profiles;

import dev.capsem.profiles.file.Entry.RuleEntry;
import dev.capsem.profiles.file.Entry.ServerEntry;
import dev.capsem.source.Problem;
import java.util.List;

/// What this host's other programs told us; a profile says whether it is used.
///
/// @param registries rules that let package managers reach the registries they are set to
public record DetectedEntries(List<ServerEntry> servers, List<RuleEntry> registries, List<Problem> problems) {
    public static final DetectedEntries NONE = new DetectedEntries(List.of(), List.of(), List.of());

    public DetectedEntries {
        servers = List.copyOf(servers);
        registries = List.copyOf(registries);
        problems = List.copyOf(problems);
    }
}
