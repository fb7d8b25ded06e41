package dev.capsem.exchange.http.secret;

import dev.capsem.broker.BrokeredResponse;
import dev.capsem.broker.Scrub;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.exchange.http.body.BodyCleaner;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.ScrubbedBytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Takes secrets out of one answer on its way to the guest and to the record. A clean body goes on as it came, even if
/// it is coded. A coded body that holds a secret goes on decoded, if nothing of it has left; otherwise it must be cut.
public final class ResponseScrub implements BodyCleaner {
    /// Why an answer is cut, or not given at all.
    public static final Evaluation LOST = Evaluation.blocked(
            BlockCause.SECRET_IN_RESPONSE,
            "secret_in_response: the compressed answer holds the secret of a grant, or cannot be read");

    /// A coded body of this length, if its head says so, is looked through before any of it leaves.
    private static final int SMALL_BODY_BYTES = 64 * 1024;

    private final BrokeredResponse broker;
    private final Deque<Chunk> coded = new ArrayDeque<>();
    private ByteArrayOutputStream clean = new ByteArrayOutputStream();
    private @Nullable Scrub scrub;
    private boolean isCoded;
    private boolean isSmall;
    private boolean isOpen;
    private boolean isDecoding;
    private boolean isWhole;
    private boolean isTouched;
    private boolean isLost;

    public ResponseScrub(BrokeredResponse broker) {
        this.broker = broker;
    }

    public Headers clean(Headers headers) {
        return broker.clean(headers);
    }

    /// @param isCodedBody whether its content coding must be undone to look at it
    public void begin(Headers headers, boolean isCodedBody) {
        isCoded = isCodedBody;
        Optional<Long> length = headers.value("content-length").map(Long::parseLong);
        isSmall = length.filter(bytes -> bytes <= SMALL_BODY_BYTES).isPresent();
        scrub = broker.body(!isCoded && length.isPresent());
    }

    @Override
    public ByteBuffer clean(ByteBuffer piece) {
        Scrub.Passed passed = scrubbing().pass(piece);
        ByteBuffer out = passed.isUntouched() ? piece : ByteBuffer.wrap(passed.bytes());
        isTouched |= !passed.isUntouched();
        keep(out);
        return out;
    }

    @Override
    public ByteBuffer rest() {
        byte[] rest = scrubbing().rest();
        isTouched |= rest.length > 0;
        keep(ByteBuffer.wrap(rest));
        return ByteBuffer.wrap(rest);
    }

    private void keep(ByteBuffer out) {
        if (!isCoded || !isOpen || isDecoding) {
            byte[] copy = new byte[out.remaining()];
            out.get(out.position(), copy);
            clean.writeBytes(copy);
        }
    }

    /// What may go on once this piece was looked at. The piece is ours, and what is answered the caller's.
    ///
    /// @param isUndecodable whether nothing can be told about it any more
    public List<Chunk> passes(Chunk chunk, boolean isUndecodable) {
        isWhole |= chunk.isLast();
        if (!isCoded || isDecoding) {
            return List.copyOf(plain(chunk));
        }
        coded.add(trailed(chunk));
        isLost |= isUndecodable || (isOpen && scrubbing().hits() > 0);
        return !isOpen || isLost || (scrubbing().isHoldingBack() && !isWhole) ? List.of() : taken();
    }

    /// Whether it holds a secret that cannot be taken out any more, or may hold one that nobody can see.
    public boolean isLost() {
        return isLost;
    }

    /// Whether the head must wait, since what comes next may change how the body is sent.
    public boolean holdsHead() {
        return isCoded
                && !isOpen
                && !isWhole
                && (coded.isEmpty() || isSmall || scrubbing().isHoldingBack());
    }

    /// The head leaves now.
    ///
    /// @return what came before it
    public List<Chunk> open() {
        isOpen = true;
        if (!isCoded || scrubbing().hits() == 0) {
            return taken();
        }
        isDecoding = true;
        Headers trailers = coded.isEmpty() ? Headers.NONE : coded.getLast().trailers();
        close();
        return List.of(new ScrubbedBytes(drained(), isWhole, trailers));
    }

    /// Of a body that is sent decoded, the head says so.
    public Optional<Headers> opened(Headers headers) {
        return isDecoding
                ? Optional.of(headers.without("content-encoding")
                        .without("content-length")
                        .without("etag")
                        .without("content-md5")
                        .without("digest")
                        .without("repr-digest")
                        .without("content-digest"))
                : Optional.empty();
    }

    public void close() {
        coded.forEach(Chunk::release);
        coded.clear();
    }

    private List<Chunk> plain(Chunk chunk) {
        boolean wasTouched = isTouched;
        isTouched = scrubbing().isHoldingBack();
        Headers trailers = broker.clean(chunk.trailers());
        if (!wasTouched && trailers.equals(chunk.trailers())) {
            clean.reset();
            return List.of(chunk);
        }
        chunk.release();
        byte[] bytes = drained();
        return bytes.length == 0 && !chunk.isLast()
                ? List.of()
                : List.of(new ScrubbedBytes(bytes, chunk.isLast(), trailers));
    }

    /// A coded piece, whose trailers may hold what its body does not.
    private Chunk trailed(Chunk chunk) {
        Headers trailers = broker.clean(chunk.trailers());
        return trailers.equals(chunk.trailers()) ? chunk : chunk.withTrailers(trailers);
    }

    private List<Chunk> taken() {
        List<Chunk> all = new ArrayList<>(coded);
        coded.clear();
        return all;
    }

    private byte[] drained() {
        byte[] bytes = clean.toByteArray();
        clean = new ByteArrayOutputStream();
        return bytes;
    }

    private Scrub scrubbing() {
        if (scrub == null) {
            throw new IllegalStateException("the head came first");
        }
        return scrub;
    }
}
