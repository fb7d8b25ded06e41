package dev.capsem.service.reload;

import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.ProfileFolders;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.profiles.launch.ClientCommands;
import dev.capsem.profiles.registry.Registry;
import dev.capsem.profiles.registry.RegistryDetection;
import dev.capsem.profiles.registry.RegistryRules;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Once per home: asks the package managers of this host which registries they use, so that sandboxes may read from
/// them. Nobody waits for it; until it is done, reading from a registry asks.
public final class RegistrySetup implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RegistrySetup.class);

    /// For each program that is asked.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// The first sandbox of a home is wanted at once, and needs the same cores.
    private static final Duration AFTER = Duration.ofSeconds(5);

    private final ProfileFolders folders;
    private final Reloads reloads;

    public RegistrySetup(ProfileFolders folders, Reloads reloads) {
        this.folders = folders;
        this.reloads = reloads;
    }

    @Override
    public void run() {
        if (Files.exists(folders.registries())) {
            return;
        }
        try {
            Thread.sleep(AFTER);
            List<Registry> registries = RegistryDetection.detect(new ClientCommands(folders.userHome(), PATIENCE));
            SessionProfile.writeAs(folders.registries(), RegistryRules.write(registries));
            LOG.info("package managers of this host use {} registries", registries.size());
            reloads.all();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ProfileException e) {
            LOG.warn("the registries of this host were not kept: {}", e.getMessage());
        }
    }
}
