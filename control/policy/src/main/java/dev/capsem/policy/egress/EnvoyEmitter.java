package dev.capsem.policy.egress;

import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A bootstrap for Envoy as forward proxy on loopback: CONNECT only, an allow list on the authority, and a second
/// check on the address that was resolved.
final class EnvoyEmitter {
    private static final String TYPE = "type.googleapis.com/";
    private static final String EXTENSIONS = TYPE + "envoy.extensions.";
    private static final String ANY_PORT = "[0-9]{1,5}";

    private EnvoyEmitter() {}

    static EgressTarget.Emitted emit(Policy policy, Notes notes) {
        if (policy.net().isEmpty()) {
            notes.add("no host is declared: everything is refused");
        }
        notes.add("Envoy reads this with -c; it listens on 127.0.0.1:3128 and takes CONNECT requests only");
        JsonValue bootstrap = JsonValue.members()
                .put(
                        "static_resources",
                        JsonValue.members()
                                .put("listeners", JsonValue.items(List.of(policy), EnvoyEmitter::listener))
                                .put(
                                        "clusters",
                                        JsonValue.items(List.of("dynamic_forward_proxy"), EnvoyEmitter::cluster)))
                .build();
        return new EgressTarget.Emitted(JsonWriter.pretty(bootstrap), List.of());
    }

    private static JsonValue listener(Policy policy) {
        List<JsonValue> filters = new ArrayList<>();
        filters.add(rbac("ALLOW", "capgate-allow", JsonValue.items(policy.net(), EnvoyEmitter::authority)));
        filters.add(filter(
                "envoy.filters.http.dynamic_forward_proxy",
                typed("filters.http.dynamic_forward_proxy.v3.FilterConfig")
                        .put("dns_cache_config", dnsCache())
                        .put("save_upstream_address", true)));
        if (EgressTarget.blocksPrivate(policy)) {
            List<String> ranges = new ArrayList<>(EgressTarget.PRIVATE_V4);
            ranges.addAll(EgressTarget.PRIVATE_V6);
            filters.add(rbac("DENY", "capgate-private", JsonValue.items(ranges, EnvoyEmitter::upstreamRange)));
        }
        filters.add(filter("envoy.filters.http.router", typed("filters.http.router.v3.Router")));
        JsonValue.Builder route = JsonValue.members()
                .put("match", JsonValue.members().put("connect_matcher", JsonValue.members()))
                .put(
                        "route",
                        JsonValue.members()
                                .put("cluster", "dynamic_forward_proxy")
                                .put(
                                        "upgrade_configs",
                                        JsonValue.items(
                                                List.of("CONNECT"),
                                                type -> JsonValue.members()
                                                        .put("upgrade_type", type)
                                                        .put("connect_config", JsonValue.members())
                                                        .build())));
        JsonValue.Builder host = JsonValue.members()
                .put("name", "egress")
                .put("domains", List.of("*"))
                .put("routes", JsonValue.items(List.of(route), JsonValue.Builder::build));
        JsonValue.Builder manager = typed("filters.network.http_connection_manager.v3.HttpConnectionManager")
                .put("stat_prefix", "capgate_egress")
                .put(
                        "route_config",
                        JsonValue.members()
                                .put("virtual_hosts", JsonValue.items(List.of(host), JsonValue.Builder::build)))
                .put("http_filters", JsonValue.items(filters, value -> value))
                .put(
                        "upgrade_configs",
                        JsonValue.items(
                                List.of("CONNECT"),
                                type -> JsonValue.members()
                                        .put("upgrade_type", type)
                                        .build()));
        JsonValue chain = JsonValue.members()
                .put(
                        "filters",
                        JsonValue.items(
                                List.of(manager),
                                value -> filter("envoy.filters.network.http_connection_manager", value)))
                .build();
        return JsonValue.members()
                .put("name", "capgate_egress")
                .put(
                        "address",
                        JsonValue.members()
                                .put(
                                        "socket_address",
                                        JsonValue.members()
                                                .put("address", "127.0.0.1")
                                                .put("port_value", 3128)))
                .put("filter_chains", JsonValue.items(List.of(chain), value -> value))
                .build();
    }

    private static JsonValue authority(Element.NetRule rule) {
        String host = rule.host().text();
        String name = switch (rule.host().form()) {
            case ANY -> ".+";
            case SUBDOMAINS -> "[^:/]+" + escape(host.substring(1));
            case NAME, IPV4 -> escape(host);
            case IPV6 -> escape("[" + host + "]");
        };
        String port = rule.port().isPresent() ? Integer.toString(rule.port().getAsInt()) : ANY_PORT;
        return JsonValue.members()
                .put(
                        "header",
                        JsonValue.members()
                                .put("name", ":authority")
                                .put(
                                        "string_match",
                                        JsonValue.members()
                                                .put(
                                                        "safe_regex",
                                                        JsonValue.members().put("regex", "(?i)" + name + ":" + port))))
                .build();
    }

    private static JsonValue upstreamRange(String range) {
        int slash = range.indexOf('/');
        return JsonValue.members()
                .put(
                        "matcher",
                        JsonValue.members()
                                .put("name", "envoy.rbac.matchers.upstream_ip_port")
                                .put(
                                        "typed_config",
                                        typed("rbac.matchers.upstream_ip_port.v3.UpstreamIpPortMatcher")
                                                .put(
                                                        "upstream_ip",
                                                        JsonValue.members()
                                                                .put("address_prefix", range.substring(0, slash))
                                                                .put(
                                                                        "prefix_len",
                                                                        Long.parseLong(range.substring(slash + 1))))))
                .build();
    }

    /// With no permission at all an ALLOW policy matches nothing, so an empty list stays closed.
    private static JsonValue rbac(String action, String name, JsonValue.Items permissions) {
        JsonValue.Builder policies = JsonValue.members();
        if (!permissions.list().isEmpty()) {
            policies.put(
                    name,
                    JsonValue.members()
                            .put("permissions", permissions)
                            .put(
                                    "principals",
                                    JsonValue.items(
                                            List.of(true),
                                            any -> JsonValue.members()
                                                    .put("any", any)
                                                    .build())));
        }
        return filter(
                "envoy.filters.http.rbac",
                typed("filters.http.rbac.v3.RBAC")
                        .put("rules", JsonValue.members().put("action", action).put("policies", policies)));
    }

    private static JsonValue cluster(String name) {
        return JsonValue.members()
                .put("name", name)
                .put("lb_policy", "CLUSTER_PROVIDED")
                .put(
                        "cluster_type",
                        JsonValue.members()
                                .put("name", "envoy.clusters.dynamic_forward_proxy")
                                .put(
                                        "typed_config",
                                        typed("clusters.dynamic_forward_proxy.v3.ClusterConfig")
                                                .put("dns_cache_config", dnsCache())))
                .build();
    }

    private static JsonValue.Builder dnsCache() {
        return JsonValue.members().put("name", "capgate_dns").put("dns_lookup_family", "ALL");
    }

    private static JsonValue.Builder typed(String type) {
        return JsonValue.members().put("@type", EXTENSIONS + type);
    }

    private static JsonValue filter(String name, JsonValue.Builder config) {
        return JsonValue.members().put("name", name).put("typed_config", config).build();
    }

    private static String escape(String text) {
        return Pattern.compile("[.\\[\\]]").matcher(text).replaceAll("\\\\$0");
    }
}
