package dev.capsem.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.json.JsonShapeException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SandboxHandleJsonTest {
    @Test
    void readsBackWhatItWrote() {
        SandboxHandle handle =
                new SandboxHandle("bwrap", 4711, 99_000_000_000L, Map.of("runtime", "/run/x", "é", "\"\n"));

        assertThat(SandboxHandleJson.read(SandboxHandleJson.write(handle))).isEqualTo(handle);
    }

    @Test
    void toleratesUnknownMembersAndAbsentResources() {
        String text = "{\"driver\":\"qemu\",\"pid\":1,\"startTicks\":2,\"later\":{\"a\":[]}}";

        assertThat(SandboxHandleJson.read(text)).isEqualTo(new SandboxHandle("qemu", 1, 2, Map.of()));
    }

    @Test
    void refusesWhatIsNotAHandle() {
        for (String text : new String[] {"", "[]", "{}", "{\"driver\":\"bwrap\",\"pid\":\"1\",\"startTicks\":2}"}) {
            assertThatThrownBy(() -> SandboxHandleJson.read(text)).isInstanceOf(JsonShapeException.class);
        }
    }
}
