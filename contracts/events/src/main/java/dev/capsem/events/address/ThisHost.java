package dev.capsem.events.address;

import java.net.InetAddress;
import java.util.List;

/// The names under which a sandbox reaches programs on the host it runs on: inside, `localhost` is the sandbox. Like
/// every name under `.internal` they are closed until a rule opens them.
public final class ThisHost {
    /// Ours, and the one that people know from containers.
    public static final List<String> NAMES = List.of("host.capsem.internal", "host.docker.internal");

    public static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.0.1");

    private ThisHost() {}
}
