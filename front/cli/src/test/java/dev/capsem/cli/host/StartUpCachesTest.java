package dev.capsem.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartUpCachesTest {
    @TempDir
    Path dist;

    private StartUpCaches caches;

    @BeforeEach
    void makeAll() throws IOException {
        Files.createDirectories(dist.resolve("aot"));
        Files.createDirectories(dist.resolve("bin"));
        Files.createDirectories(dist.resolve("lib"));
        Files.writeString(dist.resolve("lib/cli.jar"), "");
        for (String program : StartUpCaches.PROGRAMS) {
            Files.writeString(dist.resolve("aot").resolve(program + ".aot"), "cache");
        }
        Files.writeString(dist.resolve("aot/missing"), "");
        Files.writeString(dist.resolve("aot/made-for"), "dist=" + dist + "\njava=/jdk\nruntime=25.0.1+8\n");
        Files.setLastModifiedTime(dist.resolve("lib/cli.jar"), FileTime.from(Instant.EPOCH));
        caches = new StartUpCaches(dist, "/jdk", "25.0.1+8");
    }

    @Test
    void saysNothingWhenAllAreThere() {
        assertThat(caches.complaints()).isEmpty();
    }

    @Test
    void namesTheProgramAndWhyItHasNone() throws IOException {
        Files.delete(dist.resolve("aot/capsem-process.aot"));
        Files.writeString(dist.resolve("aot/missing"), "capsem-process: sandboxes cannot start on this host yet\n");

        assertThat(caches.complaints())
                .containsExactly("no start-up cache for capsem-process: sandboxes cannot start on this host yet");
        assertThat(caches.remedy()).isEqualTo(dist.resolveSibling("capsem") + " build");
    }

    @Test
    void noticesAnotherJdkAnotherPlaceAndNewerLibraries() throws IOException {
        assertThat(new StartUpCaches(dist, "/jdk", "25.0.2+1").complaints())
                .singleElement()
                .asString()
                .contains("another JDK");
        assertThat(new StartUpCaches(dist, "/elsewhere", "25.0.1+8").complaints())
                .singleElement()
                .asString()
                .contains("another JDK");

        Files.setLastModifiedTime(
                dist.resolve("lib/cli.jar"), FileTime.from(Instant.now().plusSeconds(60)));
        assertThat(caches.complaints()).containsExactly("the start-up caches are older than the libraries");

        Files.writeString(dist.resolve("aot/made-for"), "dist=/moved\njava=/jdk\nruntime=25.0.1+8\n");
        assertThat(caches.complaints()).singleElement().asString().contains("another place");

        Files.delete(dist.resolve("aot/made-for"));
        assertThat(caches.complaints()).containsExactly("there are no start-up caches");
    }
}
