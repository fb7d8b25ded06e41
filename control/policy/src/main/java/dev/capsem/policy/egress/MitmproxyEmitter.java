package dev.capsem.policy.egress;

import dev.capsem.policy.artifact.Notes;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/// An add-on for mitmproxy, for development: `mitmdump -s FILE`. Slow, but it shows every request.
final class MitmproxyEmitter {
    private static final String ADDON = """
            # capgate egress allow list for mitmproxy (development only): mitmdump -s capgate_egress_mitmproxy.py
            import ipaddress
            import json
            import socket

            from mitmproxy import http

            RULES = json.loads('%RULES%')
            PRIVATE = [ipaddress.ip_network(n) for n in json.loads('%PRIVATE%')]


            def is_private(address):
                address = ipaddress.ip_address(address.split("%")[0])
                mapped = getattr(address, "ipv4_mapped", None)
                address = mapped or address
                return any(address.version == n.version and address in n for n in PRIVATE)


            def matching(host, port):
                host = host.lower().rstrip(".")
                for rule in RULES:
                    wanted = rule["host"].lower()
                    if rule["port"] is not None and rule["port"] != port:
                        continue
                    if wanted == "*" or wanted == host or (wanted.startswith("*.") and host.endswith(wanted[1:])):
                        return rule
                return None


            def refuse(flow):
                flow.response = http.Response.make(403, b"refused by capgate egress policy\\n")


            class CapgateEgress:
                def http_connect(self, flow):
                    if matching(flow.request.host, flow.request.port) is None:
                        refuse(flow)

                def request(self, flow):
                    names = {flow.request.host, flow.request.pretty_host}
                    if any(matching(name, flow.request.port) is None for name in names):
                        refuse(flow)

                def server_connect(self, data):
                    host, port = data.server.address[0], data.server.address[1]
                    rule = matching(host, port)
                    if rule is None:
                        data.server.error = "refused by capgate egress policy"
                        return
                    try:
                        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
                    except OSError:
                        data.server.error = "the host name does not resolve"
                        return
                    usable = [f[4][0] for f in found if not (rule["blockPrivate"] and is_private(f[4][0]))]
                    if not usable:
                        data.server.error = "refused by capgate egress policy: private address"
                        return
                    # Connect to the address that was checked, not to a second resolution of the name.
                    data.server.address = (usable[0], port)


            addons = [CapgateEgress()]""";

    private MitmproxyEmitter() {}

    static EgressTarget.Emitted emit(Policy policy, Notes notes) {
        String rules = JsonWriter.compact(JsonValue.items(policy.net(), Element::toJson));
        List<String> ranges = new ArrayList<>(EgressTarget.PRIVATE_V4);
        ranges.addAll(EgressTarget.PRIVATE_V6);
        notes.add("for development: mitmproxy decrypts what passes and is not built for load");
        if (policy.net().isEmpty()) {
            notes.add("no host is declared: everything is refused");
        }
        String config =
                ADDON.replace("%RULES%", rules).replace("%PRIVATE%", JsonWriter.compact(JsonValue.texts(ranges)));
        return new EgressTarget.Emitted(config, List.of());
    }
}
