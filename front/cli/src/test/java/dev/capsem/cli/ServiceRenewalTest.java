package dev.capsem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.service.StatusReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceRenewalTest {
    @TempDir
    Path run;

    private final FakeService service = new FakeService();
    private final List<String> remarks = new ArrayList<>();

    @Test
    void idleServiceOfAnEarlierBuildIsReplaced() throws IOException {
        service.status = status(Map.of("stopped", 2L));

        renew("/opt/dist aaa", "/opt/dist bbb");

        assertThat(service.calls).containsExactly("shutdown");
        assertThat(remarks).isEmpty();
    }

    @Test
    void serviceWithRunningSandboxesIsLeftAndTheUserTold() throws IOException {
        service.status = status(Map.of("running", 1L));

        renew("/opt/dist aaa", "/opt/dist bbb");

        assertThat(service.calls).isEmpty();
        assertThat(remarks).singleElement().asString().contains("earlier build").contains("capsem service stop");
    }

    @Test
    void sameBuildOtherPlaceAndUnknownBuildsAreLeftAlone() throws IOException {
        renew("/opt/dist aaa", "/opt/dist aaa");
        renew("/other/dist aaa", "/opt/dist bbb");
        renew("/opt/dist aaa", "");
        Files.delete(run.resolve("service.build"));
        new ServiceRenewal(run.resolve("service.build"), "/opt/dist bbb").apply(service, remarks::add);

        assertThat(service.calls).isEmpty();
        assertThat(remarks).isEmpty();
    }

    private static StatusReply status(Map<String, Long> sandboxes) {
        return new StatusReply(
                "0.1.0", 1, 1, "/h", "bwrap", Map.of(), List.of(), sandboxes, 32, new StatusReply.Spare(1, 1), 0, 0);
    }

    private void renew(String running, String ours) throws IOException {
        service.running = true;
        Files.writeString(run.resolve("service.build"), running + "\n");
        new ServiceRenewal(run.resolve("service.build"), ours).apply(service, remarks::add);
    }
}
