package dev.capsem.broker;

import dev.capsem.broker.sign.SigV4;
import dev.capsem.broker.sign.SigV4Authorization;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Requests that the guest signed with a stand-in: they leave with a signature of the real key, which stays here.
final class Resigning {
    private static final String AUTHORIZATION = "authorization";
    private static final String CONTENT_HASH = "x-amz-content-sha256";

    /// Of bodies whose every chunk holds a signature of its own.
    private static final String CHUNK_SIGNED = "STREAMING-AWS4-";

    /// What there is to do.
    sealed interface Found {
        Found NOTHING = new Nothing();

        record Nothing() implements Found {}

        record Ours(Held held, SecretPlace.AwsSigV4 place, SigV4Authorization asked, String payloadHash)
                implements Found {}

        /// It is ours, and cannot be signed.
        record Hindered(Brokered.Unavailable why) implements Found {}
    }

    private Resigning() {}

    /// Whether the signature speaks for a body that is not described in the head.
    static boolean needsBody(List<Held> covering, Headers headers) {
        return headers.value(AUTHORIZATION).filter(SigV4Authorization::isOne).isPresent()
                && headers.value(CONTENT_HASH).isEmpty()
                && covering.stream().anyMatch(held -> place(held).isPresent());
    }

    /// @param request as the guest signed it
    /// @param body all of it, if it was held
    static Found find(List<Held> usable, SecurityEvent.HttpRequest request, Optional<byte[]> body) {
        Optional<SigV4Authorization> asked =
                request.headers().value(AUTHORIZATION).flatMap(SigV4Authorization::parse);
        if (asked.isEmpty()) {
            return Found.NOTHING;
        }
        for (Held held : usable) {
            Optional<SecretPlace.AwsSigV4> place = place(held);
            if (place.isPresent()) {
                Found found = find(held, place.get(), asked.get(), request, body);
                if (!(found instanceof Found.Nothing)) {
                    return found;
                }
            }
        }
        return Found.NOTHING;
    }

    /// Who signed with another key has credentials of their own: that is not for us.
    private static Found find(
            Held held,
            SecretPlace.AwsSigV4 place,
            SigV4Authorization asked,
            SecurityEvent.HttpRequest request,
            Optional<byte[]> body) {
        Optional<String> described = request.headers().value(CONTENT_HASH);
        boolean hasBody = body.isPresent() || request.body() instanceof Body.Absent;
        if (described.isEmpty() && !hasBody) {
            return hindered(held, "the body is too large to sign: send x-amz-content-sha256");
        }
        String payloadHash = described.orElseGet(() -> SigV4.hash(body.orElse(new byte[0])));
        byte[] standIn = held.placeholder().text().getBytes(StandardCharsets.US_ASCII);
        SigV4 signed = signed(request, request.path(), request.query(), request.headers(), payloadHash);
        if (!signed.isSignedWith(standIn, asked)) {
            return Found.NOTHING;
        }
        if (payloadHash.startsWith(CHUNK_SIGNED)) {
            return hindered(
                    held,
                    "every chunk of the body is signed (" + payloadHash
                            + "), which cannot be done again on the way: use a trailing checksum or an unsigned payload");
        }
        return BrokeredRequest.unfit(held)
                .<Found>map(Found.Hindered::new)
                .orElseGet(() -> new Found.Ours(held, place, asked, payloadHash));
    }

    /// Over all that other grants have put there.
    static void sign(Found.Ours ours, SecurityEvent.HttpRequest request, HeadFilling filling) {
        SentHead head = filling.sent();
        byte[] key = ours.held().value().orElseThrow().reveal();
        String signature = signed(request, head.path(), head.query(), head.headers(), ours.payloadHash())
                .signature(key, ours.asked());
        String keyId = ours.place().keyId().orElse(ours.asked().keyId());
        filling.authorize(ours.asked().text(keyId, signature));
        filling.used(ours.held(), ours.place(), 1);
    }

    private static SigV4 signed(
            SecurityEvent.HttpRequest request,
            String path,
            Optional<String> query,
            Headers headers,
            String payloadHash) {
        boolean isUsualPort = request.port() == (request.scheme().equals("https") ? 443 : 80);
        String host = headers.value("host")
                .orElseGet(() -> isUsualPort ? request.host() : request.host() + ":" + request.port());
        return new SigV4(request.method(), host, path, query, headers, payloadHash);
    }

    private static Found hindered(Held held, String reason) {
        return new Found.Hindered(new Brokered.Unavailable(held.grant().name(), reason));
    }

    private static Optional<SecretPlace.AwsSigV4> place(Held held) {
        return held.grant().places().stream()
                .filter(SecretPlace.AwsSigV4.class::isInstance)
                .map(SecretPlace.AwsSigV4.class::cast)
                .findFirst();
    }
}
