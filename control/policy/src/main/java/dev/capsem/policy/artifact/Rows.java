package dev.capsem.policy.artifact;

import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/// Pieces of the newer targets: a coverage row for every entry, and names other tools accept.
public final class Rows {
    public static final String PROMISE = "a promise of the server; the host verifies it";

    private Rows() {}

    public static List<Coverage> of(Policy policy, Function<Element, Coverage> rule) {
        List<Coverage> rows = new ArrayList<>();
        policy.elements().forEach(element -> rows.add(rule.apply(element)));
        return rows;
    }

    /// Says every widening in the notes too: a reviewer may read nothing else.
    public static void noteWidenings(List<Coverage> rows, Notes notes) {
        rows.stream()
                .filter(row -> row.status() == Coverage.Status.WIDENED)
                .forEach(row -> notes.add("widened: " + row.element().print() + ": " + row.detail()));
    }

    public static Coverage leftOut(String target, Element element) {
        return Coverage.unenforceable(
                element, target + " has no way to express " + element.kind().word() + " capabilities");
    }

    /// A name of lower-case letters, digits and single hyphens, as DNS labels and most tools want it.
    public static String slug(String serverName) {
        String slug = serverName
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-|-$", "");
        String cut = slug.length() > 50 ? slug.substring(0, 50).replaceAll("-$", "") : slug;
        return cut.isEmpty() ? "server" : cut;
    }

    public static String hostPort(Element.NetRule rule) {
        String host = rule.host().text().indexOf(':') >= 0
                ? "[" + rule.host() + "]"
                : rule.host().text();
        return rule.port().isPresent() ? host + ":" + rule.port().getAsInt() : host;
    }
}
