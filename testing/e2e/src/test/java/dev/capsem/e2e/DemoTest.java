package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The tour a newcomer takes first, from an empty home.
@Tag("e2e")
class DemoTest {
    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void demoKeepsEveryPromise(Account account) {
        try (Installation installation = Installation.prepare(account)) {
            Outcome demo = installation.capsem("demo");

            assertThat(demo.exitCode()).as("%s%s", demo.stdout(), demo.stderr()).isZero();
            assertThat(demo.stdout())
                    .contains("✓ an allowed page arrives")
                    .contains("✓ a private key is not let out")
                    .contains("✓ nothing of it reached the other side")
                    .contains("✓ `capsem rules why` names the rule")
                    .contains("✓ a header is stripped on the way, the others stay")
                    .contains("✓ once approved, it goes through")
                    .contains("✓ its tokens are counted")
                    .contains("✓ and priced")
                    .contains("All 35 claims held.");
            assertThat(installation.capsem("list", "-q").stdout()).isEmpty();
            assertThat(installation.home().resolve("profiles"))
                    .satisfiesAnyOf(
                            profiles -> assertThat(profiles).doesNotExist(),
                            profiles -> assertThat(profiles).isEmptyDirectory());
        }
    }
}
