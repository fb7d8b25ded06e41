package dev.capsem.exchange.http;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.Reservation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Writes down what an exchange has done, one line each.
final class RecordingActions implements Actions {
    private final List<String> lines = new ArrayList<>();
    private boolean isGuestWritable = true;
    private boolean isUpstreamWritable = true;
    private boolean hasRoom = true;
    private Optional<Answer> instead = Optional.empty();

    List<String> taken() {
        List<String> taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }

    void guestWritable(boolean is) {
        isGuestWritable = is;
    }

    void upstreamWritable(boolean is) {
        isUpstreamWritable = is;
    }

    void room(RoomState state) {
        hasRoom = state == RoomState.FREE;
    }

    enum RoomState {
        FREE,
        TAKEN
    }

    Answer instead() {
        return instead.orElseThrow();
    }

    private void line(String text) {
        lines.add(text);
    }

    @Override
    public void admit() {
        line("admit");
    }

    @Override
    public void release() {
        line("release the place");
    }

    @Override
    public void record(ExchangeLog log, Ending ending) {
        line("record " + ending.outcome().wireName()
                + (ending.status().isPresent() ? " " + ending.status().getAsInt() : "")
                + ", sent " + ending.bytesSent() + ", received " + ending.bytesReceived());
        rows(log, ending);
    }

    private void rows(ExchangeLog log, Ending ending) {
        for (RecordedExchange exchange : log.rows(ending, Duration.ofMillis(7))) {
            line("  " + exchange.event().type().wireName() + ": "
                    + exchange.event().judgement().finalAction().wireName()
                    + steps(exchange.event().steps()));
            exchange.rows().forEach(row -> {
                switch (row) {
                    case NetRow net -> line("    " + net(net));
                    case ModelRow model -> line("    model_calls: " + model.provider());
                    default -> line("    " + row.shape());
                }
            });
        }
    }

    private static String steps(List<Step> steps) {
        return steps.stream()
                .map(step -> ", " + step.kind().wireName()
                        + step.ruleId().map(rule -> " by " + rule).orElse("")
                        + step.message().map(text -> " (" + text + ")").orElse(""))
                .collect(Collectors.joining());
    }

    private static String net(NetRow net) {
        return "net_events: " + net.method().orElse("-") + " " + net.domain() + ":" + net.port()
                + net.path().orElse("") + " " + net.connectionType() + " "
                + net.policy().action().orElse("-")
                + net.policy().outcome().map(text -> " " + text).orElse("")
                + net.policy().reason().map(text -> " (" + text + ")").orElse("")
                + net.previews()
                        .requestBody()
                        .map(text -> ", asked \"" + text + "\"")
                        .orElse("")
                + net.previews()
                        .responseBody()
                        .map(text -> ", answered \"" + text + "\"")
                        .orElse("");
    }

    @Override
    public void awaitRecord() {
        line("await the record");
    }

    @Override
    public void decided(Evaluation evaluation) {
        line("decided " + evaluation.decision().wireName()
                + evaluation.rule().map(RuleId::name).map(name -> " by " + name).orElse(""));
    }

    @Override
    public void askPerson(SecurityEvent event, Evaluation question) {
        String about = event instanceof SecurityEvent.HttpRequest request
                ? request.host()
                        + request.addressText().map(text -> " at " + text).orElse("")
                : event.type().wireName();
        line("ask a person about " + about
                + question.reason().map(text -> " (" + text + ")").orElse(""));
    }

    @Override
    public void answerInstead(Answer answer) {
        instead = Optional.of(answer);
        line("answer instead: " + answer);
    }

    @Override
    public void withdraw() {
        line("withdraw the question");
    }

    @Override
    public void reserve(SpendingDesk.Spending spending, boolean isApproved) {
        line("reserve "
                + spending.claims().stream()
                        .map(claim -> claim.amount().shown() + " of " + claim.budget())
                        .collect(Collectors.joining(", "))
                + (isApproved ? ", approved" : ""));
    }

    /// What another part of the world was told.
    void told(String text) {
        line(text);
    }

    @Override
    public void locate(SecurityEvent.HttpRequest request, boolean mayReuse) {
        line("locate " + request.host() + (mayReuse ? "" : ", no open connection"));
    }

    @Override
    public void connect(UpstreamTarget target, boolean mayReuse) {
        line("connect to "
                + switch (target) {
                    case UpstreamTarget.At at -> at.address().getHostAddress();
                    case UpstreamTarget.Named _ -> "the name";
                }
                + (mayReuse ? "" : ", a new connection"));
    }

    @Override
    public void sendRequest(OutgoingRequest request) {
        SecurityEvent.HttpRequest event = request.event();
        line("send " + event.method() + " " + event.path()
                + event.headers().fields().stream()
                        .map(field -> " " + field.name() + "=" + field.value())
                        .collect(Collectors.joining())
                + (request.keepsExpectation() ? "" : ", expectation met")
                + (request.keepsExtensions() ? "" : ", without extensions")
                + (request.replaced().isPresent()
                        ? ", new body of " + request.replaced().getAsInt()
                        : "")
                + (request.isWhole() ? ", whole" : ""));
    }

    @Override
    public void sendBytes(Chunk chunk, Reservation held) {
        line("send bytes " + name(chunk) + freeing(held));
        chunk.release();
        held.close();
    }

    private static String name(Chunk chunk) {
        return chunk instanceof TextChunk text ? text.toString() : "own " + chunk.size() + " (end)";
    }

    private static String freeing(Reservation held) {
        return held.equals(Reservation.NONE) ? "" : ", then free its room";
    }

    @Override
    public void flushUpstream() {
        line("flush upstream");
    }

    @Override
    public void readUpstream() {
        line("read upstream");
    }

    @Override
    public boolean isUpstreamWritable() {
        return isUpstreamWritable;
    }

    @Override
    public void releaseUpstream() {
        line("keep the upstream connection");
    }

    @Override
    public void closeUpstream() {
        line("close upstream");
    }

    @Override
    public void readGuest() {
        line("read guest");
    }

    @Override
    public boolean isGuestWritable() {
        return isGuestWritable;
    }

    @Override
    public void sendContinue() {
        line("respond 100 continue");
    }

    @Override
    public void forwardInterim() {
        line("forward the interim head");
    }

    private static String head(OutgoingResponse response) {
        return response.status()
                + response.changed()
                        .map(headers -> headers.fields().stream()
                                .map(field -> " " + field.name() + "=" + field.value())
                                .collect(Collectors.joining()))
                        .orElse("")
                + (response.hasNoBody() ? ", no body" : "")
                + (response.replaced().isPresent()
                        ? ", new body of " + response.replaced().getAsInt()
                        : "")
                + (response.keepsGuest() ? ", keep-alive" : ", close");
    }

    @Override
    public void forwardHead(OutgoingResponse response) {
        line("forward head " + head(response));
    }

    @Override
    public void forward(Chunk chunk, Reservation held) {
        line("forward " + name(chunk) + freeing(held));
        chunk.release();
        held.close();
    }

    @Override
    public void forwardEnd(Chunk last, Reservation held) {
        line("forward " + name(last) + freeing(held) + ", flush");
        last.release();
        held.close();
    }

    @Override
    public void forwardWhole(OutgoingResponse response, Chunk last, Reservation held) {
        line("forward whole " + head(response) + ": " + name(last) + freeing(held) + ", flush");
        last.release();
        held.close();
    }

    @Override
    public void flushGuest() {
        line("flush guest");
    }

    @Override
    public void respond(ErrorResponse response, boolean keepsGuest) {
        line("respond " + response.status() + " "
                + response.headers().value("x-capsem-decision").orElse("-") + ": "
                + (response.isForHead() ? "(no body)" : response.text().strip().replace("\n", " | "))
                + (keepsGuest ? ", keep-alive" : ", close"));
    }

    @Override
    public void done(boolean keepsGuest) {
        line("done" + (keepsGuest ? ", next request" : ", close"));
    }

    @Override
    public void abort() {
        line("abort");
    }

    @Override
    public void tunnel(ExchangeLog log, Upgrade upgrade, List<Chunk> early) {
        line("tunnel"
                + (upgrade.readsSent() ? ", rules read what is sent" : "")
                + (upgrade.readsReceived() ? ", rules read what is received" : "")
                + early.stream().map(chunk -> ", early " + name(chunk)).collect(Collectors.joining()));
        early.forEach(Chunk::release);
    }

    @Override
    public Reservation room(boolean isForRequest) {
        String what = isForRequest ? "request" : "response";
        line("take room for the " + what);
        return new CountedRoom(what);
    }

    private final class CountedRoom implements Reservation {
        private final String what;

        CountedRoom(String what) {
            this.what = what;
        }

        @Override
        public boolean grow(long to) {
            if (!hasRoom) {
                line("wait for room for the " + what);
            }
            return hasRoom;
        }

        @Override
        public void shrink(long to) {}

        @Override
        public Reservation split(long part) {
            return new CountedRoom(what);
        }

        @Override
        public void close() {}
    }

    @Override
    public void startTimer(Wait wait) {
        line("start timer " + wait);
    }

    @Override
    public void stopTimer() {
        line("stop timer");
    }

    @Override
    public void failed(RuntimeException bug) {
        line("log the bug: " + bug.getMessage());
    }
}
