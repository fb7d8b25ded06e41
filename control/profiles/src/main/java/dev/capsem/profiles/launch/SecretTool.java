package dev.capsem.profiles.launch;

import dev.capsem.profiles.launch.HostProgram.Ran;
import dev.capsem.profiles.secret.Keyring;
import dev.capsem.profiles.secret.Secret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The Secret Service keyring of this account, through `secret-tool` of libsecret.
public final class SecretTool implements Keyring {
    /// As long as a person needs to unlock it.
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final HostProgram programs;
    private final String tool;

    public SecretTool() {
        this("secret-tool");
    }

    /// @param tool the program's path
    public SecretTool(String tool) {
        this.tool = tool;
        this.programs = new HostProgram(PATIENCE);
    }

    @Override
    public Optional<Secret> find(String service, String account) {
        List<String> command = List.of(tool, "lookup", "service", service, "account", account);
        return programs.run(command, Optional.empty()) instanceof Ran.Printed(String value)
                        && !value.isEmpty()
                        && value.length() <= Secret.CHARS_MAX
                ? Optional.of(new Secret(value))
                : Optional.empty();
    }

    @Override
    public boolean keep(String service, String account, Secret secret) {
        List<String> command = List.of(tool, "store", "--label=Capsem", "service", service, "account", account);
        return programs.run(command, Optional.of(secret)) instanceof Ran.Printed
                && find(service, account).filter(secret::equals).isPresent();
    }

    @Override
    public void forget(String service, String account) {
        programs.run(List.of(tool, "clear", "service", service, "account", account), Optional.empty());
    }
}
