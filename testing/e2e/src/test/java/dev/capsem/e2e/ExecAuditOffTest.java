package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/// A kernel that does not let the agent see which programs start: everybody is told, and the sandbox works.
@Tag("e2e")
class ExecAuditOffTest {
    /// The kernel allows one listener for a process and its children. This one is never asked anything; a child
    /// holds it for as long as the home is there.
    private static final String LISTENER = """
            import ctypes, os, struct, sys, time
            libc = ctypes.CDLL(None, use_errno=True)
            allow = ctypes.create_string_buffer(struct.pack('=HBBI', 6, 0, 0, 0x7fff0000))
            program = ctypes.create_string_buffer(struct.pack('=H6xQ', 1, ctypes.addressof(allow)))
            libc.prctl(38, 1, 0, 0, 0)
            number = {'x86_64': 317, 'aarch64': 277}[os.uname().machine]
            listener = libc.syscall(number, 1, 8, program)
            if listener < 0:
                sys.exit('no listener: ' + os.strerror(ctypes.get_errno()))
            home = sys.argv[1]
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.dup2(listener, 3)
                    os.closerange(4, 1024)
                    for fd in range(3):
                        os.close(fd)
                    while os.path.exists(home):
                        time.sleep(0.2)
                os._exit(0)
            os.wait()
            os.execv(sys.argv[2], sys.argv[2:])
            """;

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void whereAnotherListenerIsInForceEverybodyIsToldSo(Account account) throws IOException {
        try (Installation installation = Installation.prepare(account)) {
            Path script = Files.writeString(installation.userDirectory().resolve("listener.py"), LISTENER);
            Outcome started = underListener(installation, script);
            assertThat(started.exitCode())
                    .as("%s%s", started.stdout(), started.stderr())
                    .isZero();

            String id = installation.create("{\"name\":\"unseen\",\"persistent\":true}");

            assertThat(installation.exec(id, "echo works").stdout()).isEqualTo("works\n");
            JsonNode info = installation.get("/info/" + id).json();
            assertThat(info.path("exec_audit_off").asString()).isEqualTo("Device or resource busy");
            assertThat(installation.capsem("info", id).stdout())
                    .contains("off, programs that start inside are not recorded: Device or resource busy");
            assertThat(installation.capsem("status").stdout())
                    .contains("off in 1 of the running sandboxes: Device or resource busy");
            assertThat(rows(installation, id))
                    .isEqualTo("[[\"process.audit\",\"observe_only\",\"Device or resource busy\"]]");
            assertThat(Files.readString(installation.persistent(id).resolve("serial.log")))
                    .contains("stage audit")
                    .contains("exec audit: off");
            assertThat(installation.capsem("verify", id).exitCode()).isZero();
        }
    }

    private static Outcome underListener(Installation installation, Path script) {
        List<String> argv = new ArrayList<>(List.of(
                "/usr/bin/python3", script.toString(), installation.home().toString()));
        argv.addAll(List.of(installation.program("capsem").toString(), "service", "start"));
        return Commands.run(
                installation.account().command(argv),
                installation.environment(),
                installation.userDirectory(),
                new byte[0]);
    }

    private static String rows(Installation installation, String id) {
        String sql = "SELECT event_type, final_action, reason FROM security_events"
                + " WHERE process_operation = 'exec_audit_off'";
        String body = Installation.JSON.createObjectNode().put("sql", sql).toString();
        return installation
                .post("/inspect/" + id, body)
                .expect(200)
                .json()
                .path("rows")
                .toString();
    }
}
