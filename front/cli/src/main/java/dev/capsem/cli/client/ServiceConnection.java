package dev.capsem.cli.client;

import dev.capsem.client.io.ByteStream;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.client.io.TerminalConnection;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ForkReply;
import dev.capsem.wire.service.HistoryReply;
import dev.capsem.wire.service.LogsReply;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.PurgeReply;
import dev.capsem.wire.service.SandboxSummary;
import dev.capsem.wire.service.StatusReply;
import dev.capsem.wire.service.StopReply;
import dev.capsem.wire.service.SuspendReply;
import dev.capsem.wire.service.TerminalControl;
import dev.capsem.wire.service.TerminalStart;
import dev.capsem.wire.service.VerifyReply;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// The service behind its socket.
public record ServiceConnection(ServiceClient client) implements SandboxService {
    @Override
    public boolean isRunning() {
        return client.isServiceRunning();
    }

    @Override
    public void shutdown() {
        client.shutdown();
    }

    @Override
    public StatusReply status() {
        return client.status();
    }

    @Override
    public ProvisionReply provision(ProvisionRequest request) {
        return client.provision(request);
    }

    @Override
    public List<SandboxSummary> list() {
        return client.list();
    }

    @Override
    public SandboxSummary sandbox(String id) {
        return client.sandbox(id);
    }

    @Override
    public ExecReply exec(String id, ExecRequest request) {
        return client.exec(id, request);
    }

    @Override
    public GuestCommand start(String id, TerminalStart start) {
        return new Remote(client.terminal(id, start));
    }

    @Override
    public byte[] readFile(String id, String path) {
        return client.readFile(id, path);
    }

    @Override
    public void writeFile(String id, String path, byte[] content) {
        client.writeFile(id, path, content);
    }

    @Override
    public StopReply stop(String id) {
        return client.stop(id);
    }

    @Override
    public SuspendReply suspend(String id) {
        return client.suspend(id);
    }

    @Override
    public ProvisionReply resume(String name) {
        return client.resume(name);
    }

    @Override
    public String persist(String id, String name) {
        return client.persist(id, name);
    }

    @Override
    public ForkReply fork(String id, String name, String description) {
        return client.fork(id, name, description);
    }

    @Override
    public void delete(String id) {
        client.delete(id);
    }

    @Override
    public PurgeReply purge(boolean all) {
        return client.purge(all);
    }

    @Override
    public LogsReply logs(String id) {
        return client.logs(id);
    }

    @Override
    public String serviceLogs() {
        return client.serviceLogs();
    }

    @Override
    public HistoryReply history(String id, int limit, int offset, String search, HistoryReply.Shown shown) {
        return client.history(id, limit, offset, search, shown);
    }

    @Override
    public JsonNode stats() {
        return client.stats();
    }

    @Override
    public VerifyReply verify(String id) {
        return client.verify(id);
    }

    @Override
    public DiffReply diff(String id, List<String> paths, boolean ignored) {
        return client.diff(id, paths, ignored);
    }

    @Override
    public ApplyReply apply(String id, ApplyRequest request) {
        return client.apply(id, request);
    }

    @Override
    public JsonNode get(String target) {
        return client.get(target);
    }

    @Override
    public JsonNode post(String target, JsonNode body) {
        return client.post(target, body);
    }

    @Override
    public JsonNode put(String target, byte[] text) {
        return client.put(target, text);
    }

    @Override
    public JsonNode remove(String target) {
        return client.remove(target);
    }

    @Override
    public Download download(String target) {
        return new Body(client.download(target));
    }

    @Override
    public LiveFeed live(String id) {
        return new LiveStream(client.follow("/events?sandbox=" + ServiceClient.encode(id)));
    }

    @Override
    public JsonNode reload() {
        return client.reload();
    }

    @Override
    public ApprovalFeed approvals() {
        return new ApprovalEventStream(client.follow("/confirm/stream"));
    }

    @Override
    public ApprovalFeed approvals(String sandbox, boolean answers) {
        return new ApprovalEventStream(client.follow(
                "/confirm/stream?sandbox=" + ServiceClient.encode(sandbox) + (answers ? "" : "&answers=false")));
    }

    private record Body(ByteStream stream) implements Download {
        @Override
        public long writeTo(OutputStream out) throws IOException {
            return stream.writeTo(out);
        }

        @Override
        public void close() {
            stream.close();
        }
    }

    private record Remote(TerminalConnection connection) implements GuestCommand {
        @Override
        public Optional<TerminalConnection.Event> next() {
            return connection.next();
        }

        @Override
        public void input(byte[] data, int length) {
            connection.sendInput(data, 0, length);
        }

        @Override
        public void control(TerminalControl control) {
            connection.send(control);
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
