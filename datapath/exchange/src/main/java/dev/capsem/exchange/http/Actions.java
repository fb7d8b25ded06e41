package dev.capsem.exchange.http;

import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.Reservation;
import java.util.List;

/// The actions of an exchange. A method that names an [Input] is followed by it, at once or later; only [#awaitRecord]
/// and [#askPerson] never tell it within the call.
public interface Actions {
    // ---------------------------------------------------------------- the record

    /// Asks for a place on record: [Input.Admitted] or [Input.NotAdmitted].
    void admit();

    /// The place is not needed: it is given back, or no longer waited for.
    void release();

    void record(ExchangeLog log, Ending ending);

    /// [Input.Recorded] when all that was recorded is written.
    void awaitRecord();

    // ---------------------------------------------------------------- rules and people

    /// A rule, or nobody, has spoken; for statistics.
    void decided(Evaluation evaluation);

    /// [Input.Answered] or [Input.NotAnswered].
    void askPerson(SecurityEvent event, Evaluation question);

    /// Ends the open question with this answer, which comes back as [Input.Answered].
    void answerInstead(Answer answer);

    /// Nobody needs the answer to the open question.
    void withdraw();

    /// Asks budgets for room: [Input.Reserved].
    ///
    /// @param isApproved whether a person lets it pass beyond their limits
    void reserve(SpendingDesk.Spending spending, boolean isApproved);

    // ---------------------------------------------------------------- the upstream

    /// Finds out where the request leads: [Input.Located] or [Input.NotLocated].
    ///
    /// @param mayReuse whether an open connection answers that
    void locate(SecurityEvent.HttpRequest request, boolean mayReuse);

    /// A connection to that very place: [Input.Connected] or [Input.NotConnected].
    ///
    /// @param mayReuse false to insist on a new one
    void connect(UpstreamTarget target, boolean mayReuse);

    void sendRequest(OutgoingRequest request);

    /// @param held is closed when the bytes have left
    void sendBytes(Chunk chunk, Reservation held);

    void flushUpstream();

    void readUpstream();

    boolean isUpstreamWritable();

    /// The exchange left the connection clean: it may serve the next one.
    void releaseUpstream();

    /// Ends the connection, if there is one.
    void closeUpstream();

    // ---------------------------------------------------------------- the guest

    void readGuest();

    boolean isGuestWritable();

    /// The guest may send its body.
    void sendContinue();

    /// The head that came last goes on as it is.
    void forwardInterim();

    void forwardHead(OutgoingResponse response);

    /// @param held is closed when the bytes have left
    void forward(Chunk chunk, Reservation held);

    /// The response's end, sent at once with all before it.
    void forwardEnd(Chunk last, Reservation held);

    /// A response whose end is sent with its head.
    void forwardWhole(OutgoingResponse response, Chunk last, Reservation held);

    void flushGuest();

    /// A response of our own.
    void respond(ErrorResponse response, boolean keepsGuest);

    /// The response is written. The connection serves the next request, or is closed when the guest has read it.
    void done(boolean keepsGuest);

    /// The guest must see that the response is cut short.
    void abort();

    /// Both sides agreed to speak WebSocket from here on; the tunnel writes what becomes of it.
    ///
    /// @param early what the upstream said right after it agreed
    void tunnel(ExchangeLog log, Upgrade upgrade, List<Chunk> early);

    // ---------------------------------------------------------------- limits, time, bugs

    /// For a body that a rule must read.
    Reservation room(boolean isForRequest);

    /// [Input.TimerFired], in place of what was waited for before.
    void startTimer(Wait wait);

    void stopTimer();

    /// An exception ended the exchange: our own mistake.
    void failed(RuntimeException bug);
}
