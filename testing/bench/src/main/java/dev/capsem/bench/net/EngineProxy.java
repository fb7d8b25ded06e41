package dev.capsem.bench.net;

import dev.capsem.broker.Grants;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.llm.ModelObserver;
import dev.capsem.network.NetworkEngine;
import dev.capsem.network.NetworkSettings;
import dev.capsem.network.Ports;
import dev.capsem.network.address.AddressLedger;
import dev.capsem.network.address.Resolution;
import dev.capsem.network.io.GuestConnection;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.SecurityEngine;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.write.SessionWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/// The network engine as capsem-process runs it, with rules in force and every exchange recorded, but with a TCP port
/// as its door. Arguments: the port, the number of rules, a directory for session.db, the origin's certificate.
public final class EngineProxy {
    private EngineProxy() {}

    public static void main(String[] arguments) throws IOException, GeneralSecurityException {
        int port = Integer.parseInt(arguments[0]);
        int rules = Integer.parseInt(arguments[1]);
        Path database = Path.of(arguments[2]).resolve("session.db");
        byte[] certificate = Files.readAllBytes(Path.of(arguments[3]));

        InstantSource clock = InstantSource.system();
        IdSource ids = new IdSource(clock, new Random(7));
        SessionWriter writer = SessionWriter.open(database, new SessionIdentity("bench", "bench", "0"), clock);
        Ports ports = new Ports(
                engine(rules),
                ApprovalDesk.NOBODY,
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                writer,
                new ModelObserver(List.of(), ids),
                Optional.empty(),
                new AddressLedger(),
                _ -> CompletableFuture.completedFuture(
                        new Resolution.Addresses(List.of(InetAddress.getLoopbackAddress()))),
                Optional::empty,
                () -> Grants.NONE,
                SpendingDesk.NONE);
        X509Certificate trusted = (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate));
        NetworkEngine network =
                new NetworkEngine(ports, NetworkSettings.usual().withExtraAuthorities(List.of(trusted)));
        try (ServerSocketChannel door =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1024)) {
            System.out.println("ready");
            while (true) {
                SocketChannel connection = door.accept();
                Thread.startVirtualThread(() -> network.serve(new GuestConnection(connection)));
            }
        }
    }

    /// As many rules as asked for that do not match, then those that let the load pass.
    private static SecurityEngine engine(int rules) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < rules; i++) {
            text.append("[security.rules.http.host_")
                    .append(i)
                    .append("]\non = \"http.request\"\nif = '")
                    .append("http.request.host == \"host")
                    .append(i)
                    .append(".example\" && http.request.path")
                    .append(".startsWith(\"/private\")'\ndecision = \"block\"\n");
        }
        text.append("""
                [security.rules.http.origin]
                on = "http.request"
                if = 'http.request.address_class == "loopback"'
                decision = "allow"
                priority = 900

                [security.rules.http.all]
                on = "http.request"
                if = "true"
                decision = "allow"
                priority = 1000

                [security.rules.http.answers]
                on = "http.response"
                if = "true"
                decision = "allow"
                priority = 1000
                """);
        RuleCompiler.Result result =
                new RuleCompiler().compile(List.of(new SourceText("bench", Layer.USER, text.toString())));
        return switch (result) {
            case RuleCompiler.Result.Compiled compiled -> new SecurityEngine(compiled.snapshot());
            case RuleCompiler.Result.Rejected rejected ->
                throw new IllegalStateException("the bench's rules are wrong: " + rejected.problems());
        };
    }
}
