package dev.capsem.policy.egress;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/// The program that enforces the allow list.
public enum EgressKind {
    SQUID("capgate-egress.squid.conf"),
    NFTABLES("capgate-egress.nftables"),
    YAML("capgate-egress.yaml"),
    ENVOY("capgate-egress.envoy.json"),
    MITMPROXY("capgate_egress_mitmproxy.py");

    private final String filename;

    EgressKind(String filename) {
        this.filename = filename;
    }

    public String filename() {
        return filename;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static EgressKind of(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new CompilationError(
                        Code.EGRESS_UNKNOWN_TARGET, "'" + word + "' is not an egress target; use " + words()));
    }

    public static String words() {
        return Arrays.stream(values()).map(EgressKind::word).collect(Collectors.joining(", "));
    }
}
