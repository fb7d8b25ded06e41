package dev.capsem.broker;

import dev.capsem.events.address.AddressClass;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One request before the broker: which grants cover it, whether its body must be held, and, once all rules have let it
/// pass and its address is known, what is sent. Sees one revision of the grants.
public final class BrokeredRequest {
    /// Bodies up to here are looked through before anything of the request is sent. They come with the head anyway.
    private static final int SMALL_BODY_BYTES = 64 * 1024;

    private final Grants grants;
    private final List<Held> covering;
    private final LeakScan bodyScan;
    private final boolean signsBody;

    /// Requires: there are grants.
    BrokeredRequest(Grants grants, SecurityEvent.HttpRequest request) {
        this.grants = grants;
        this.covering = grants.covering(request);
        this.bodyScan = grants.leakScan();
        this.signsBody = Resigning.needsBody(covering, request.headers());
    }

    /// Whether all of the body is needed before anything is sent.
    ///
    /// @param length as the head says; negative if it does not
    public boolean holdsBody(long length) {
        return (length >= 0 && length <= SMALL_BODY_BYTES) || signsBody || bodyPlaces();
    }

    private boolean bodyPlaces() {
        return covering.stream()
                .anyMatch(held -> held.grant().places().stream().anyMatch(SecretPlace.Body.class::isInstance));
    }

    /// Shown the decoded body as it comes.
    public LeakScan bodyScan() {
        return bodyScan;
    }

    /// A stand-in showed up in a body that was on its way.
    public Optional<Brokered.Leaked> leakedOnTheWay() {
        return bodyScan.found().map(owner -> leaked(owner, "body", "the body holds it, and was not read before"));
    }

    /// @param request with its address, if one is known, as every rule let it pass
    /// @param body all of it, decoded; none if it was not held
    public Brokered decide(SecurityEvent.HttpRequest request, Optional<byte[]> body) {
        List<Held> usable = covering.stream()
                .filter(held -> isCarriedSafely(held.grant(), request))
                .toList();
        boolean isSet = usable.stream().anyMatch(held -> held.grant().mode() == GrantMode.SET);
        Optional<Brokered.Leaked> head = leakedIn(request.method(), request.path(), request.query(), request.headers());
        Resigning.Found signing = Resigning.find(usable, request, body);
        if (signing instanceof Resigning.Found.Hindered(Brokered.Unavailable why)) {
            return why;
        }
        if (head.isEmpty() && !isSet && !bodyScan.hasFound() && signing instanceof Resigning.Found.Nothing) {
            return Brokered.UNTOUCHED;
        }
        HeadFilling filling = new HeadFilling(request.path(), request.query(), request.headers());
        for (Held held : usable) {
            Optional<Brokered.Unavailable> unavailable = fill(held, filling);
            if (unavailable.isPresent()) {
                return unavailable.get();
            }
        }
        if (signing instanceof Resigning.Found.Ours ours) {
            Resigning.sign(ours, request, filling);
        }
        SentHead sent = filling.sent();
        Optional<Brokered.Leaked> left = leakedIn(request.method(), sent.path(), sent.query(), sent.headers());
        if (left.isPresent()) {
            return explained(left.get(), request);
        }
        return withBody(request, usable, filling, body);
    }

    /// Plain HTTP shows a value to everybody on the way: only where the grant says so, and nobody else is on the way.
    static boolean isCarriedSafely(SecretGrant grant, SecurityEvent.HttpRequest request) {
        boolean isTls = request.scheme().equals("https") || request.scheme().equals("wss");
        boolean isNear = request.address()
                .map(AddressClass::of)
                .filter(found -> found == AddressClass.LOOPBACK || found == AddressClass.PRIVATE)
                .isPresent();
        return isTls || (grant.allowsPlainHttp() && isNear);
    }

    private static Optional<Brokered.Unavailable> fill(Held held, HeadFilling filling) {
        boolean isSet = held.grant().mode() == GrantMode.SET;
        Optional<Brokered.Unavailable> unfit = unfit(held);
        if (unfit.isPresent()) {
            return isSet || filling.wants(held) ? unfit : Optional.empty();
        }
        byte[] value = held.value().orElseThrow().reveal();
        for (SecretPlace place : held.grant().places()) {
            if (isSet) {
                filling.set(held, place, value);
            } else {
                filling.replace(held, place, value);
            }
        }
        return Optional.empty();
    }

    /// Why the value cannot be sent, if so.
    static Optional<Brokered.Unavailable> unfit(Held held) {
        String name = held.grant().name();
        if (held.value().isEmpty()) {
            return Optional.of(new Brokered.Unavailable(name, held.missing().orElse("its source gives no value")));
        }
        boolean goesIntoHeader = held.grant().places().stream()
                .anyMatch(place -> place instanceof SecretPlace.Header || place instanceof SecretPlace.Basic);
        for (byte b : held.value().get().reveal()) {
            if (goesIntoHeader && ((b >= 0 && b < ' ') || b == 127)) {
                return Optional.of(
                        new Brokered.Unavailable(name, "its value holds a control character, and goes into a header"));
            }
        }
        return Optional.empty();
    }

    // ---------------------------------------------------------------- the body

    private Brokered withBody(
            SecurityEvent.HttpRequest request, List<Held> usable, HeadFilling filling, Optional<byte[]> body) {
        Optional<Integer> owner = bodyScan.found();
        if (owner.isEmpty()) {
            return filled(filling, Optional.empty());
        }
        Optional<String> hindered = hindered(request, body);
        if (hindered.isPresent()) {
            return explained(leaked(owner.get(), "body", hindered.get()), request);
        }
        byte[] text = body.orElseThrow();
        for (Held held : usable) {
            for (SecretPlace place : held.grant().places()) {
                if (place instanceof SecretPlace.Body(JsonPointer pointer)) {
                    Optional<Spliced> changed = spliced(held, pointer, text);
                    if (changed.isPresent() && unfit(held).isPresent()) {
                        return unfit(held).get();
                    }
                    if (changed.isPresent()) {
                        text = changed.get().text();
                        filling.used(held, place, changed.get().count());
                    }
                }
            }
        }
        LeakScan left = grants.leakScan();
        left.sees(ByteBuffer.wrap(text));
        return left.found()
                .<Brokered>map(
                        found -> explained(leaked(found, "body", "no grant names this place of the body"), request))
                .orElse(filled(filling, Optional.of(text)));
    }

    /// Why a value cannot be put into this body, if so.
    private Optional<String> hindered(SecurityEvent.HttpRequest request, Optional<byte[]> body) {
        if (!bodyPlaces()) {
            return Optional.of("no grant for this host names a place in the body");
        }
        boolean isCoded = request.headers()
                .value("content-encoding")
                .filter(coding -> !coding.isBlank() && !coding.equalsIgnoreCase("identity"))
                .isPresent();
        if (isCoded) {
            return Optional.of("the body is compressed: send it without Content-Encoding");
        }
        return body.isPresent() ? Optional.empty() : Optional.of("the body is too large to put a value into it");
    }

    record Spliced(byte[] text, int count) {}

    static Optional<Spliced> spliced(Held held, JsonPointer pointer, byte[] text) {
        Optional<JsonText.Found> found = JsonText.find(text, pointer);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        byte[] value = held.value().map(SecretValue::reveal).orElse(new byte[0]);
        HeadFilling.Replaced filled = HeadFilling.Replaced.in(
                JsonText.unescaped(text, found.get()),
                held.placeholder().text(),
                new String(value, StandardCharsets.UTF_8),
                held.grant());
        if (filled.count() == 0) {
            return Optional.empty();
        }
        byte[] escaped = Encoding.JSON.encode(filled.text().getBytes(StandardCharsets.UTF_8));
        return Optional.of(new Spliced(JsonText.spliced(text, found.get(), escaped), filled.count()));
    }

    private static Brokered filled(HeadFilling filling, Optional<byte[]> body) {
        return filling.uses().isEmpty()
                ? Brokered.UNTOUCHED
                : new Brokered.Filled(filling.sent(), body, filling.uses());
    }

    // ---------------------------------------------------------------- leaks

    private Optional<Brokered.Leaked> leakedIn(String method, String path, Optional<String> query, Headers headers) {
        List<Named> parts = new ArrayList<>();
        parts.add(new Named("method", method));
        parts.add(new Named("path", path));
        query.ifPresent(text -> parts.add(new Named("query", text)));
        for (Headers.Field field : headers.fields()) {
            parts.add(new Named("header " + field.name(), field.value()));
        }
        for (Headers.Field field : headers.fields()) {
            Optional<Integer> owner = grants.standInInName(field.name());
            if (owner.isPresent()) {
                return Optional.of(leaked(owner.get(), "name of a header", ""));
            }
        }
        for (Named part : parts) {
            Optional<Integer> owner = grants.standInIn(part.text());
            if (owner.isPresent()) {
                return Optional.of(leaked(owner.get(), part.name(), ""));
            }
        }
        return Optional.empty();
    }

    private record Named(String name, String text) {}

    private Brokered.Leaked leaked(int owner, String place, String reason) {
        return new Brokered.Leaked(grants.held().get(owner).grant().name(), place, reason);
    }

    /// Says which gate did not open.
    private Brokered.Leaked explained(Brokered.Leaked leak, SecurityEvent.HttpRequest request) {
        @Nullable
        Held held = grants.held().stream()
                .filter(one -> one.grant().name().equals(leak.grant()))
                .findFirst()
                .orElse(null);
        if (held == null || !leak.reason().isEmpty()) {
            return leak;
        }
        SecretGrant grant = held.grant();
        String reason = !grant.coversHost(request.host())
                ? "the grant is not for this host"
                : !grant.covers(request)
                        ? "the grant is not for this method and path"
                        : !isCarriedSafely(grant, request)
                                ? "the grant is not for plain HTTP to this address"
                                : "the grant does not name this place, or not so often";
        return new Brokered.Leaked(leak.grant(), leak.place(), reason);
    }
}
