package dev.capsem.network.http.upstream;

import dev.capsem.exchange.http.Refusal;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.NoRouteToHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Why an upstream could not be had, in words for the guest and for the record alike. What a library says of it is
/// repeated only where nothing better is known.
public final class UpstreamTrouble {
    /// How deep causes are looked at: an exception may be its own.
    private static final int CAUSES_MAX = 12;

    private static final int WORDS_MAX = 160;

    /// As Java writes a socket's address: `name/192.0.2.1:443`, `/[2001:db8::1]:443`.
    private static final Pattern ADDRESS = Pattern.compile("(: )?[^\\s/]*/\\[?[0-9a-fA-F.:%]+]?:[0-9]+");

    /// As the JDK writes the end of a certificate's time: `NotAfter: Sat Feb 01 00:00:00 UTC 2020`.
    private static final DateTimeFormatter JDK_DATE =
            DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss zzz yyyy", Locale.ROOT);

    /// The meaning of the TLS library's error names.
    private static final Map<String, String> ALERTS = Map.of(
            "PROTOCOL_VERSION", "it speaks no TLS 1.2 or newer",
            "UNSUPPORTED_PROTOCOL", "it speaks no TLS 1.2 or newer",
            "WRONG_VERSION_NUMBER", "it does not speak TLS on this port",
            "HTTP_REQUEST", "it does not speak TLS on this port",
            "HANDSHAKE_FAILURE", "it takes none of the ciphers offered, or wants a client certificate",
            "CERTIFICATE_REQUIRED", "it wants a client certificate",
            "BAD_CERTIFICATE", "it does not accept the client certificate",
            "UNKNOWN_CA", "it does not accept the client certificate",
            "UNRECOGNIZED_NAME", "it does not know this host name");

    private UpstreamTrouble() {}

    /// @param what is connected to, in words
    public static Refusal connecting(String what, Throwable cause, Duration patience) {
        return Refusal.of(
                502,
                "upstream_unreachable",
                "no connection to " + what + ": " + connection(cause, patience),
                "check the host and port, or try again later");
    }

    private static String connection(Throwable cause, Duration patience) {
        String said = words(cause).toLowerCase(Locale.ROOT);
        if (cause instanceof ConnectTimeoutException) {
            return "no answer within " + patience.toSeconds() + " s";
        }
        if (said.contains("refused")) {
            return "connection refused";
        }
        if (cause instanceof NoRouteToHostException || said.contains("unreachable")) {
            return "the network does not lead there";
        }
        return words(cause);
    }

    public static Refusal clientCertificate(String reason) {
        return Refusal.of(
                502,
                "client_certificate",
                "the profile has a client certificate for this host that cannot be used: " + reason,
                "repair what network.client_certificates names on the host, then start the sandbox again");
    }

    public static Refusal handshake(Throwable cause, Duration patience) {
        Optional<String> certificate = certificate(cause);
        if (certificate.isPresent()) {
            return Refusal.of(
                    502,
                    "upstream_certificate",
                    "the upstream's certificate is not accepted: " + certificate.get(),
                    "check the host; an authority of your own can be added in the settings");
        }
        return Refusal.of(
                502,
                "upstream_tls",
                "the upstream's TLS handshake failed: " + tls(cause, patience),
                "check that the host speaks TLS 1.2 or newer on this port");
    }

    /// A connection that broke while it was in use.
    static String broken(Throwable cause) {
        return "the upstream's connection failed: "
                + alert(cause).orElseGet(() -> words(cause).contains("reset") ? "connection reset" : words(cause));
    }

    private static String tls(Throwable cause, Duration patience) {
        if (find(cause, SslHandshakeTimeoutException.class::isInstance).isPresent()) {
            return "it did not finish within " + patience.toSeconds() + " s";
        }
        if (find(cause, NotSslRecordException.class::isInstance).isPresent()) {
            return "it does not speak TLS on this port";
        }
        return alert(cause).orElseGet(() -> words(cause));
    }

    private static Optional<String> alert(Throwable cause) {
        String said = words(cause).toUpperCase(Locale.ROOT);
        return ALERTS.entrySet().stream()
                .filter(known -> said.contains(known.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static Optional<String> certificate(Throwable cause) {
        Optional<Throwable> expired = find(cause, CertificateExpiredException.class::isInstance);
        if (expired.isPresent()) {
            return Optional.of("certificate expired" + date(expired.get(), " on "));
        }
        Optional<Throwable> early = find(cause, CertificateNotYetValidException.class::isInstance);
        if (early.isPresent()) {
            return Optional.of("certificate is not valid yet" + date(early.get(), ", but from "));
        }
        Optional<Throwable> constrained = find(
                cause,
                at -> at instanceof CertPathValidatorException invalid
                        && invalid.getReason() == CertPathValidatorException.BasicReason.ALGORITHM_CONSTRAINED);
        if (constrained.isPresent()) {
            return Optional.of("certificate is signed with an algorithm that is too weak");
        }
        Optional<Throwable> forged = find(
                cause,
                at -> at instanceof CertPathValidatorException invalid
                        && invalid.getReason() == CertPathValidatorException.BasicReason.INVALID_SIGNATURE);
        if (forged.isPresent()
                || find(cause, CertPathBuilderException.class::isInstance).isPresent()) {
            return Optional.of("certificate is signed by itself, or by an authority that this host does not trust");
        }
        return find(cause, at -> at instanceof CertificateException || at instanceof CertPathValidatorException)
                .map(at -> isAboutTheName(at) ? "host name does not match: it is for another host" : words(at));
    }

    private static boolean isAboutTheName(Throwable cause) {
        String said = words(cause);
        return Stream.of("No subject alternative", "No name matching", "doesn't match")
                .anyMatch(said::contains);
    }

    private static String date(Throwable cause, String before) {
        String said = words(cause);
        try {
            String date = said.substring(said.indexOf(": ") + 2);
            return before + ZonedDateTime.parse(date, JDK_DATE).toLocalDate();
        } catch (DateTimeException notADate) {
            return "";
        }
    }

    private static Optional<Throwable> find(Throwable cause, Predicate<Throwable> wanted) {
        return chain(cause).stream().filter(wanted).findFirst();
    }

    private static List<Throwable> chain(Throwable cause) {
        return Stream.iterate(cause, at -> at != null, Throwable::getCause)
                .limit(CAUSES_MAX)
                .toList();
    }

    /// The words of an exception that tell what happened, bounded and on one line. Not the address: where a name leads
    /// is the host's business, not the guest's.
    private static String words(Throwable cause) {
        String text = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        String line = ADDRESS.matcher(text.replaceAll("[\\p{Cntrl}]+", " ")).replaceAll("");
        return line.length() <= WORDS_MAX ? line : line.substring(0, WORDS_MAX);
    }
}
