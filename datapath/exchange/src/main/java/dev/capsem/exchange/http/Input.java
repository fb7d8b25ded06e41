package dev.capsem.exchange.http;

import dev.capsem.events.Admission;
import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.body.Chunk;
import java.util.List;

/// An input of an exchange. An input that comes too late for its state is ignored, and what it carries is given back.
public sealed interface Input {
    // ---------------------------------------------------------------- from the guest

    /// @param hasBody whether its head says that content follows
    /// @param isWhole whether nothing follows the head, not even an end
    /// @param length of the body as the head says; negative if it does not
    record RequestHead(
            SecurityEvent.HttpRequest event,
            boolean hasBody,
            boolean isWhole,
            long length,
            boolean expectsContinue,
            boolean isUpgrade,
            boolean isHttp10,
            boolean keepsAlive)
            implements Input {}

    /// A request that contradicts itself or its connection. No rule is asked about it, but it is on
    /// record as blocked.
    ///
    /// @param event the nearest thing to an event that can be made of it
    record RequestRefused(SecurityEvent.HttpRequest event, Refusal refusal, boolean keepsAlive) implements Input {}

    /// More of the body, without trailers.
    record RequestBytes(Chunk chunk) implements Input {}

    /// What followed the head cannot be read.
    record RequestBroken(int status, String reason) implements Input {}

    /// All that one read brought was told.
    record GuestRead() implements Input {}

    record GuestWritable() implements Input {}

    /// The guest sends nothing more, but may still listen.
    record GuestInputOver() implements Input {}

    record GuestGone() implements Input {}

    // ---------------------------------------------------------------- from the record and from people

    record Admitted() implements Input {}

    record NotAdmitted(Admission.Refused refused) implements Input {}

    record Recorded() implements Input {}

    record Answered(Answer answer) implements Input {}

    /// The question could not be asked.
    record NotAnswered() implements Input {}

    /// Whether budgets have room for it.
    record Reserved(SpendingAnswer answer) implements Input {}

    // ---------------------------------------------------------------- from the upstream

    /// @param targets in the order in which to try them; never empty
    record Located(List<UpstreamTarget> targets) implements Input {
        public Located {
            targets = List.copyOf(targets);
        }
    }

    /// @param isBehindProxy whether a proxy stands between, which may know the name
    record NotLocated(String reason, boolean isBehindProxy) implements Input {}

    /// @param isReused whether requests went over this connection before, so that it may have died unnoticed
    /// @param isForwarder whether it is a proxy that reads the requests itself
    record Connected(boolean isHttp2, boolean isReused, boolean isForwarder) implements Input {}

    /// @param isUnreachable whether another address of the same host may do better
    record NotConnected(Refusal refusal, boolean isUnreachable) implements Input {}

    /// @param isWhole whether the message came in one piece, with its end
    /// @param length of the body as the head says; negative if it does not
    /// @param keepsAlive whether the connection may serve another request
    record ResponseHead(int status, Headers headers, boolean isWhole, long length, boolean keepsAlive)
            implements Input {}

    /// Its head cannot be judged.
    record ResponseUnfit() implements Input {}

    record ResponseBytes(Chunk chunk) implements Input {}

    /// All that one read brought was told.
    record UpstreamRead() implements Input {}

    record UpstreamWritable() implements Input {}

    /// It is gone, before the response's end.
    record UpstreamGone(String reason) implements Input {}

    // ---------------------------------------------------------------- from limits

    /// There is room again for a held body.
    record RoomGiven(boolean isForRequest) implements Input {}

    /// There was no room in time.
    record NoRoom(boolean isForRequest, String reason) implements Input {}

    record TimerFired(Wait due) implements Input {}
}
