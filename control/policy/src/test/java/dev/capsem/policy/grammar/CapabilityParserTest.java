package dev.capsem.policy.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CapabilityParserTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fs:read,write:/workspace/**",
                "fs:read:/usr/share/zoneinfo",
                "net:connect:api.github.com:443",
                "net:connect:*",
                "exec:spawn:git",
                "exec:spawn:chromium?nestedSandbox=true",
                "env:inject:GITHUB_PAT",
                "ipc:connect:x11",
                "clock:tzdata",
                "assert:postgres.read_only_txn:\"all queries run in READ ONLY TRANSACTION\"",
                "net:connect:\"2001:db8::1\":443",
                "ipc:connect:\"unix:/run/x.sock\"",
                "fs:read:\"/a:b\"",
                "exec:spawn:x?a&b=&c=d&nestedSandbox=false"
            })
    void printsWhatItReads(String text) {
        Capability capability = CapabilityParser.parse(text);

        assertThat(capability.print()).isEqualTo(text);
        assertThat(CapabilityParser.parse(capability.print())).isEqualTo(capability);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense                 | CAP_MALFORMED",
                "''                       | CAP_MALFORMED",
                "FS:read:/x               | CAP_UNKNOWN_KIND",
                "gpu:use:0                | CAP_UNKNOWN_KIND",
                "fs:read                  | CAP_FS_SHAPE",
                "fs:read:/a:/b            | CAP_FS_SHAPE",
                "fs::/a                   | CAP_ACTIONS_EMPTY",
                "fs:read,:/a              | CAP_ACTION_UNKNOWN",
                "fs:execute:/a            | CAP_ACTION_UNKNOWN",
                "fs:READ:/a               | CAP_ACTION_UNKNOWN",
                "fs:read:                 | CAP_SCOPE_EMPTY",
                "fs:read:workspace        | CAP_FS_RELATIVE",
                "fs:read:$MEMORY_FILE     | CAP_FS_RELATIVE",
                "fs:read:/a/../b          | CAP_FS_TRAVERSAL",
                "fs:read:/a/./b           | CAP_FS_TRAVERSAL",
                "fs:read:/a//b            | CAP_FS_TRAVERSAL",
                "fs:read:/a/**/..         | CAP_FS_GLOB",
                "fs:read:/a/*/b           | CAP_FS_GLOB",
                "fs:read:/a/**/*          | CAP_FS_GLOB",
                "fs:read:/a/b*            | CAP_FS_GLOB",
                "fs:read:/a/.*            | CAP_FS_GLOB",
                "fs:read:/a/[bc]          | CAP_FS_GLOB",
                "net:connect              | CAP_NET_SHAPE",
                "net:connect:::1          | CAP_NET_SHAPE",
                "net:listen:x             | CAP_ACTION_UNKNOWN",
                "net:connect:x:443abc     | CAP_NET_PORT",
                "net:connect:x:           | CAP_NET_PORT",
                "net:connect:x:0          | CAP_NET_PORT",
                "net:connect:x:65536      | CAP_NET_PORT",
                "net:connect:x: 443       | CAP_NET_PORT",
                "net:connect:x:+443       | CAP_NET_PORT",
                "net:connect:x:0443       | CAP_NET_PORT",
                "net:connect:''           | CAP_NET_HOST",
                "net:connect:             | CAP_SCOPE_EMPTY",
                "net:connect:a b          | CAP_NET_HOST",
                "net:connect:127.1        | CAP_NET_HOST",
                "net:connect:0x7f.1       | CAP_NET_HOST",
                "net:connect:256.1.1.1    | CAP_NET_HOST",
                "net:connect:010.0.0.1    | CAP_NET_HOST",
                "net:connect:*.*.com      | CAP_NET_HOST",
                "net:connect:a..b         | CAP_NET_HOST",
                "net:connect:-a.com       | CAP_NET_HOST",
                "net:connect:\"1::2::3\"  | CAP_NET_HOST",
                "exec:spawn               | CAP_EXEC_SHAPE",
                "exec:spawn:/bin/sh       | CAP_EXEC_PATH",
                "exec:spawn:*             | CAP_EXEC_NAME",
                "exec:spawn:              | CAP_SCOPE_EMPTY",
                "env:inject               | CAP_ENV_SHAPE",
                "env:inject:token         | CAP_ENV_NAME",
                "env:inject:              | CAP_ENV_NAME",
                "ipc:connect              | CAP_IPC_SHAPE",
                "ipc:connect:unix:/x      | CAP_IPC_SHAPE",
                "ipc:connect:             | CAP_SCOPE_EMPTY",
                "ipc:connect:\"unix:x\"   | CAP_IPC_ENDPOINT",
                "ipc:connect:\"unix:/a/../b\" | CAP_IPC_ENDPOINT",
                "ipc:connect:\"unix:/a/*\"    | CAP_IPC_ENDPOINT",
                "clock:tzdata:x           | CAP_CLOCK_SHAPE",
                "clock:utc                | CAP_CLOCK_SOURCE",
                "assert:                  | CAP_SCOPE_EMPTY",
                "assert:x:\"is it so?\"   | CAP_QUOTE",
                "fs:read:\"/a             | CAP_QUOTE",
                "exec:spawn:x?=1          | CAP_REFINEMENT",
                "fs:read:/x/${root}       | PARAM_UNDECLARED",
            })
    void rejectsWithTheCode(String text, Code code) {
        CompilationError error =
                catchThrowableOfType(CompilationError.class, () -> CapabilityParser.parse(text == null ? "" : text));

        assertThat(error).as(text).isNotNull();
        assertThat(error.code()).as(text).isEqualTo(code);
        assertThat(error).hasMessageStartingWith("[" + code + "] ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"net:connect:a\nhttp_access", "fs:read:/a\0b", "fs:read:/a\u202eb", "fs:read:/a\u2028b"})
    void rejectsCharactersThatCouldBreakOutOrMislead(String text) {
        CompilationError error = catchThrowableOfType(CompilationError.class, () -> CapabilityParser.parse(text));

        assertThat(error.code()).isEqualTo(Code.CAP_CHARACTER);
    }

    @ParameterizedTest
    @CsvSource({
        "*,true", "api.github.com,true", "10.evil.com,true", "127.0.0.1.nip.io,true", "169.254.169.254,true",
        "10.0.0.1,false", "127.0.0.1,false", "192.168.1.1,false", "172.16.0.1,false", "172.31.9.9,false",
        "172.32.0.1,true", "LocalHost,false", "8.8.8.8,true", "*.example.com,true"
    })
    void switchesThePrivateBlockOffForPrivateAddressesOnly(String host, boolean blocked) {
        assertThat(new Host(host).blockPrivate()).isEqualTo(blocked);
    }

    @Test
    void keepsUnknownRefinementsAndReadsOnlyTrueAndOneAsTrue() {
        Refinements refinements = CapabilityParser.parse("exec:spawn:x?gpu=1&nestedSandbox=yes&flag")
                .refinements();

        assertThat(refinements.nestedSandbox()).isFalse();
        assertThat(refinements.list()).hasSize(3);
        assertThat(CapabilityParser.parse("exec:spawn:x?nestedSandbox=1")
                        .refinements()
                        .nestedSandbox())
                .isTrue();
    }

    @Test
    void dropsDuplicateActionsAndBlanksAroundThem() {
        Capability.Fs fs = (Capability.Fs) CapabilityParser.parse("fs:write, read,write:/a");

        assertThat(fs.actions()).isEqualTo(List.of(FsAction.WRITE, FsAction.READ));
    }

    @Test
    void usesTheIdWhereAnAssertionHasNoDescription() {
        Capability.Assert claim = (Capability.Assert) CapabilityParser.parse("assert:x.y:");

        assertThat(claim.description()).isEqualTo("x.y");
        assertThat(((Capability.Assert) CapabilityParser.parse("assert:x:a:b")).description())
                .isEqualTo("a:b");
    }

    @Test
    void putsParameterValuesIntoTheScopeAfterCutting() {
        Capability.Net net = (Capability.Net)
                CapabilityParser.parse("net:connect:${host}:${port}", Map.of("host", "2001:db8::1", "port", "5432"));

        assertThat(net.host().text()).isEqualTo("2001:db8::1");
        assertThat(net.port()).isEqualTo(OptionalInt.of(5432));
    }

    @Test
    void countsOnlyAssertionsAsUnenforceable() {
        assertThat(CapabilityParser.parse("assert:x").isEnforceable()).isFalse();
        assertThat(CapabilityParser.parse("clock:system").isEnforceable()).isTrue();
    }
}
