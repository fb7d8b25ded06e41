package dev.capsem.profiles.io;

import dev.capsem.profiles.mcp.HostSettings;
import dev.capsem.profiles.mcp.HostTool;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretRef;
import dev.capsem.profiles.secret.SecretSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// Finds secrets where references say they are: in the store, or in the settings of another program.
public final class HostSecrets implements SecretSource {
    private final SecretStore store;
    private final Path userHome;

    public HostSecrets(SecretStore store, Path userHome) {
        this.store = store;
        this.userHome = userHome;
    }

    @Override
    public Optional<Secret> find(SecretRef ref) {
        return switch (ref) {
            case SecretRef.Stored stored -> store.find(stored);
            case SecretRef.OfHostTool of ->
                Arrays.stream(HostTool.values())
                        .filter(tool -> tool.id().equals(of.tool()))
                        .findFirst()
                        .flatMap(tool -> read(tool).flatMap(text -> HostSettings.value(tool, text, of.pointer())));
        };
    }

    private Optional<String> read(HostTool tool) {
        try {
            return Optional.of(Files.readString(userHome.resolve(tool.path())));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }
}
