package dev.capsem.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// A demo that would claim success over a leaky sandbox is worse than none.
class DemoCommandTest {
    private final CliHarness cli = new CliHarness();

    @Test
    void anEscapeThatWorksIsToldAndFailsTheDemo() {
        cli.service.exec = request -> FakeService.reply(0, "leaked", "");
        cli.service.writeFile("demo-x", "reply.txt", "".getBytes(StandardCharsets.UTF_8));
        cli.service.files.put("any", new byte[0]);

        Outcome outcome = cli.run("demo");

        assertThat(outcome.exitCode()).isNotZero();
        assertThat(outcome.out()).contains("✗ mount a file system").contains("it worked: leaked");
    }

    @Test
    void everythingItMadeIsDeletedEvenWhenItBreaksOff() {
        cli.service.exec = request -> FakeService.reply(0, "leaked", "");

        cli.run("demo");

        assertThat(cli.service.calls.stream().filter(call -> call.startsWith("provision")))
                .isNotEmpty()
                .allSatisfy(call -> assertThat(cli.service.calls).contains(call.replace("provision", "delete")));
    }

    @Test
    void claimsAreJsonForPrograms() {
        var claims = new Claims(cli.context(new java.io.ByteArrayOutputStream(), new java.io.ByteArrayOutputStream())
                .screen());
        claims.check("water is wet", true, "splash\nmore");
        claims.check("fire is cold", false, "ouch");

        assertThat(claims.allHeld()).isFalse();
        assertThat(Json.text(claims.toJson()))
                .isEqualTo("{\"held\":false,\"claims\":["
                        + "{\"claim\":\"water is wet\",\"held\":true,\"evidence\":\"splash\"},"
                        + "{\"claim\":\"fire is cold\",\"held\":false,\"evidence\":\"ouch\"}]}");
    }
}
