package dev.capsem.policy.lowering;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.artifact.Rows;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.binds.BindRows;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;

/// A fragment of a Capsem profile, in TOML: the server's entry with its capabilities, and rules for its traffic.
///
/// The rules name the server as actor, so they open nothing for the guest or for other servers.
final class CapsemTarget {
    /// Before the rules of a person (1 to 999 in a profile; these are defaults a person may overrule).
    private static final int ALLOW_PRIORITY = 900;

    private static final int BLOCK_PRIORITY = 999;

    private CapsemTarget() {}

    static Artifact.DocumentArtifact lower(Policy policy, LoweringOptions options) {
        Notes notes = new Notes();
        Support.check("capsem", policy, EnumSet.copyOf(DockerTarget.SUPPORTED), options.strict(), notes);
        String id = Rows.slug(policy.serverName());
        List<String> lines = new ArrayList<>();
        lines.add("# capgate: profile fragment for " + id);
        lines.add("[mcpServers." + id + "]");
        if (options.command().isEmpty()) {
            notes.add("no command was given: '" + id + "' stands in its place; use --command");
            lines.add("command = " + quoted(id));
        } else {
            lines.add("command = " + quoted(options.command().getFirst()));
            lines.add("args = "
                    + array(options.command().subList(1, options.command().size())));
        }
        lines.add("");
        lines.add("[mcpServers." + id + ".capsem]");
        lines.add("enabled = true");
        lines.add("editable = false");
        lines.add("allowed_tools = " + array(options.toolNames()));
        lines.add("capabilities = " + array(capabilities(policy)));
        rules(policy, options, id, lines);
        notes.add("private and metadata addresses are refused after resolution, unless the capability names one");
        BindRows binds = BindRows.of(policy);
        List<Coverage> rows = Rows.of(policy, element -> cover(binds, element));
        Rows.noteWidenings(rows, notes);
        return Artifact.DocumentArtifact.of(
                "capsem", JsonValue.of(String.join("\n", lines) + "\n"), "capsem-" + id + ".toml", policy, rows, notes);
    }

    /// Strings that compile to the same policy. The nested flag belongs to the policy as a whole; one string
    /// carries it.
    private static List<String> capabilities(Policy policy) {
        List<String> strings = new ArrayList<>();
        policy.elements().forEach(element -> strings.add(element.print()));
        if (policy.nestedSandbox()) {
            int carrier = policy.exec().isEmpty()
                    ? 0
                    : policy.fs().size() + policy.net().size();
            strings.set(carrier, strings.get(carrier) + "?nestedSandbox=true");
        }
        return strings;
    }

    private static void rules(Policy policy, LoweringOptions options, String id, List<String> lines) {
        String name = id.replace('-', '_');
        String actor = "common.actor == " + quoted("mcpServers." + id);
        for (int i = 0; i < policy.net().size(); i++) {
            Element.NetRule rule = policy.net().get(i);
            rule(
                    lines,
                    "http",
                    name + "_" + i,
                    "http.request",
                    actor + host(rule, "http.request.host") + address(rule) + port(rule),
                    "allow",
                    ALLOW_PRIORITY);
            if (!rule.host().isAddress()) {
                rule(
                        lines,
                        "dns",
                        name + "_" + i,
                        "dns.request",
                        actor + host(rule, "dns.request.qname"),
                        "allow",
                        ALLOW_PRIORITY);
            }
        }
        rule(lines, "http", name + "_rest", "http.request", actor, "block", BLOCK_PRIORITY);
        rule(lines, "dns", name + "_rest", "dns.request", actor, "block", BLOCK_PRIORITY);
        String others = "mcp.request.server_name == " + quoted(id)
                + " && mcp.request.method == \"tools/call\" && !(mcp.request.tool_name in " + array(options.toolNames())
                + ")";
        rule(lines, "mcp", name + "_tools", "mcp.request", others, "block", ALLOW_PRIORITY);
    }

    private static void rule(
            List<String> lines, String type, String name, String on, String condition, String decision, int priority) {
        lines.add("");
        lines.add("[security.rules." + type + "." + name + "]");
        lines.add("on = " + quoted(on));
        lines.add("if = " + quoted(condition));
        lines.add("decision = " + quoted(decision));
        lines.add("priority = " + priority);
    }

    private static String host(Element.NetRule rule, String field) {
        return switch (rule.host().form()) {
            case ANY -> "";
            case SUBDOMAINS ->
                " && " + field + ".endsWith(" + quoted(rule.host().lower().substring(1)) + ")";
            case NAME, IPV4, IPV6 ->
                " && " + field + " == " + quoted(rule.host().lower());
        };
    }

    /// At an address that is not public only a rule that speaks of addresses counts, and one that names an
    /// address does.
    private static String address(Element.NetRule rule) {
        String unresolved = " && (!has(http.request.address) || http.request.address";
        return switch (rule.host().form()) {
            case ANY, SUBDOMAINS, NAME -> "";
            case IPV4 -> unresolved + " == " + quoted(rule.host().lower()) + ")";
            // One address has many spellings; the host is compared already.
            case IPV6 -> unresolved + ".contains(\":\"))";
        };
    }

    private static String port(Element.NetRule rule) {
        return rule.port().isPresent()
                ? " && http.request.port == " + rule.port().getAsInt()
                : "";
    }

    private static String array(List<String> values) {
        return values.stream().map(CapsemTarget::quoted).collect(Collectors.joining(", ", "[", "]"));
    }

    /// A JSON string is a TOML basic string and a CEL string alike.
    private static String quoted(String text) {
        return JsonWriter.compact(JsonValue.of(text));
    }

    private static Coverage cover(BindRows binds, Element element) {
        return switch (element) {
            case Element.FsRoot root -> binds.of(root);
            case Element.NetRule rule -> Coverage.enforced(rule, "the server's own proxy allows this and no more");
            case Element.ExecRule rule -> Coverage.unenforceable(rule, "any program in the sandbox can be run");
            case Element.EnvRule rule -> Coverage.host(rule, "set from the secret store when the server starts");
            case Element.IpcRule rule -> BwrapTarget.ipcCoverage(rule);
            case Element.ClockRule rule -> Coverage.enforced(rule, BwrapTarget.clockDetail(rule));
            case Element.Assertion assertion -> Coverage.host(assertion, Rows.PROMISE);
        };
    }
}
