package dev.capsem.policy.lowering;

import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.json.Json;
import dev.capsem.policy.json.JsonWriter;
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
        Json bootstrap = Json.members()
                .put(
                        "static_resources",
                        Json.members()
                                .put("listeners", Json.items(List.of(policy), EnvoyEmitter::listener))
                                .put("clusters", Json.items(List.of("dynamic_forward_proxy"), EnvoyEmitter::cluster)))
                .build();
        return new EgressTarget.Emitted(JsonWriter.pretty(bootstrap), List.of());
    }

    private static Json listener(Policy policy) {
        List<Json> filters = new ArrayList<>();
        filters.add(rbac("ALLOW", "capgate-allow", Json.items(policy.net(), EnvoyEmitter::authority)));
        filters.add(filter(
                "envoy.filters.http.dynamic_forward_proxy",
                typed("filters.http.dynamic_forward_proxy.v3.FilterConfig")
                        .put("dns_cache_config", dnsCache())
                        .put("save_upstream_address", true)));
        if (EgressTarget.blocksPrivate(policy)) {
            List<String> ranges = new ArrayList<>(EgressTarget.PRIVATE_V4);
            ranges.addAll(EgressTarget.PRIVATE_V6);
            filters.add(rbac("DENY", "capgate-private", Json.items(ranges, EnvoyEmitter::upstreamRange)));
        }
        filters.add(filter("envoy.filters.http.router", typed("filters.http.router.v3.Router")));
        Json.Builder route = Json.members()
                .put("match", Json.members().put("connect_matcher", Json.members()))
                .put(
                        "route",
                        Json.members()
                                .put("cluster", "dynamic_forward_proxy")
                                .put(
                                        "upgrade_configs",
                                        Json.items(
                                                List.of("CONNECT"),
                                                type -> Json.members()
                                                        .put("upgrade_type", type)
                                                        .put("connect_config", Json.members())
                                                        .build())));
        Json.Builder host = Json.members()
                .put("name", "egress")
                .put("domains", List.of("*"))
                .put("routes", Json.items(List.of(route), Json.Builder::build));
        Json.Builder manager = typed("filters.network.http_connection_manager.v3.HttpConnectionManager")
                .put("stat_prefix", "capgate_egress")
                .put(
                        "route_config",
                        Json.members().put("virtual_hosts", Json.items(List.of(host), Json.Builder::build)))
                .put("http_filters", Json.items(filters, value -> value))
                .put(
                        "upgrade_configs",
                        Json.items(
                                List.of("CONNECT"),
                                type -> Json.members().put("upgrade_type", type).build()));
        Json chain = Json.members()
                .put(
                        "filters",
                        Json.items(
                                List.of(manager),
                                value -> filter("envoy.filters.network.http_connection_manager", value)))
                .build();
        return Json.members()
                .put("name", "capgate_egress")
                .put(
                        "address",
                        Json.members()
                                .put(
                                        "socket_address",
                                        Json.members()
                                                .put("address", "127.0.0.1")
                                                .put("port_value", 3128)))
                .put("filter_chains", Json.items(List.of(chain), value -> value))
                .build();
    }

    private static Json authority(Element.NetRule rule) {
        String host = rule.host().text();
        String name = switch (rule.host().form()) {
            case ANY -> ".+";
            case SUBDOMAINS -> "[^:/]+" + escape(host.substring(1));
            case NAME, IPV4 -> escape(host);
            case IPV6 -> escape("[" + host + "]");
        };
        String port = rule.port().isPresent() ? Integer.toString(rule.port().getAsInt()) : ANY_PORT;
        return Json.members()
                .put(
                        "header",
                        Json.members()
                                .put("name", ":authority")
                                .put(
                                        "string_match",
                                        Json.members()
                                                .put(
                                                        "safe_regex",
                                                        Json.members().put("regex", "(?i)" + name + ":" + port))))
                .build();
    }

    private static Json upstreamRange(String range) {
        int slash = range.indexOf('/');
        return Json.members()
                .put(
                        "matcher",
                        Json.members()
                                .put("name", "envoy.rbac.matchers.upstream_ip_port")
                                .put(
                                        "typed_config",
                                        typed("rbac.matchers.upstream_ip_port.v3.UpstreamIpPortMatcher")
                                                .put(
                                                        "upstream_ip",
                                                        Json.members()
                                                                .put("address_prefix", range.substring(0, slash))
                                                                .put(
                                                                        "prefix_len",
                                                                        Long.parseLong(range.substring(slash + 1))))))
                .build();
    }

    /// With no permission at all an ALLOW policy matches nothing, so an empty list stays closed.
    private static Json rbac(String action, String name, Json.Items permissions) {
        Json.Builder policies = Json.members();
        if (!permissions.list().isEmpty()) {
            policies.put(
                    name,
                    Json.members()
                            .put("permissions", permissions)
                            .put(
                                    "principals",
                                    Json.items(
                                            List.of(true),
                                            any -> Json.members()
                                                    .put("any", any)
                                                    .build())));
        }
        return filter(
                "envoy.filters.http.rbac",
                typed("filters.http.rbac.v3.RBAC")
                        .put("rules", Json.members().put("action", action).put("policies", policies)));
    }

    private static Json cluster(String name) {
        return Json.members()
                .put("name", name)
                .put("lb_policy", "CLUSTER_PROVIDED")
                .put(
                        "cluster_type",
                        Json.members()
                                .put("name", "envoy.clusters.dynamic_forward_proxy")
                                .put(
                                        "typed_config",
                                        typed("clusters.dynamic_forward_proxy.v3.ClusterConfig")
                                                .put("dns_cache_config", dnsCache())))
                .build();
    }

    private static Json.Builder dnsCache() {
        return Json.members().put("name", "capgate_dns").put("dns_lookup_family", "ALL");
    }

    private static Json.Builder typed(String type) {
        return Json.members().put("@type", EXTENSIONS + type);
    }

    private static Json filter(String name, Json.Builder config) {
        return Json.members().put("name", name).put("typed_config", config).build();
    }

    private static String escape(String text) {
        return Pattern.compile("[.\\[\\]]").matcher(text).replaceAll("\\\\$0");
    }
}
