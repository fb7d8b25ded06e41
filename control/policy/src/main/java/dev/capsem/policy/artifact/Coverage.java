package dev.capsem.policy.artifact;

import dev.capsem.policy.ir.Element;
import dev.capsem.source.json.JsonValue;
import java.util.Locale;

/// How well a target keeps one entry of a policy, and why.
public record Coverage(Element element, Status status, String detail) {
    /// From best to worst.
    public enum Status {
        /// The mechanism grants this and no more.
        ENFORCED,
        /// The mechanism grants this and something beyond it, which the detail names.
        WIDENED,
        /// The artifact states it; the host has to act on it (a proxy, a secret store, a verifier).
        HOST,
        /// The mechanism cannot express it; nothing stops a server that ignores it, or nothing lets it through.
        UNENFORCEABLE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Coverage enforced(Element element, String detail) {
        return new Coverage(element, Status.ENFORCED, detail);
    }

    public static Coverage widened(Element element, String detail) {
        return new Coverage(element, Status.WIDENED, detail);
    }

    public static Coverage host(Element element, String detail) {
        return new Coverage(element, Status.HOST, detail);
    }

    public static Coverage unenforceable(Element element, String detail) {
        return new Coverage(element, Status.UNENFORCEABLE, detail);
    }

    public JsonValue toJson() {
        return JsonValue.members()
                .put("capability", element.print())
                .put("status", status.word())
                .put("detail", detail)
                .build();
    }
}
