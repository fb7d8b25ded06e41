package dev.capsem.cli.profile.io;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;

/// Gets small files over HTTPS, or from this host over HTTP.
public final class Download implements AutoCloseable {
    /// A profile is a few kilobytes.
    private static final int BYTES_MAX = 1 << 20;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(PATIENCE)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();

    /// Whether it may be asked for: in the open network only over TLS. What comes is signed; who asks for it is not.
    public static boolean isAllowed(URI url) {
        String host = String.valueOf(url.getHost());
        boolean isHere = host.equals("localhost") || host.equals("127.0.0.1") || host.equals("[::1]");
        return url.getHost() != null
                && url.getRawUserInfo() == null
                && ("https".equals(url.getScheme()) || ("http".equals(url.getScheme()) && isHere));
    }

    /// Throws when it is not there, too large, or does not come in time.
    public byte[] get(URI url) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(url).timeout(PATIENCE).GET().build();
        HttpResponse<InputStream> response = send(request);
        try (InputStream body = response.body()) {
            if (response.statusCode() != 200) {
                throw new IOException("the server answered " + response.statusCode());
            }
            byte[] bytes = body.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new IOException("it is larger than " + BYTES_MAX + " bytes");
            }
            return bytes;
        }
    }

    /// The client itself has no words for these.
    private HttpResponse<InputStream> send(HttpRequest request) throws IOException, InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (HttpTimeoutException late) {
            throw new IOException("no answer came within " + PATIENCE.toSeconds() + " s", late);
        } catch (ConnectException refused) {
            boolean isUnknown =
                    refused.getCause() != null && refused.getCause().getCause() instanceof UnresolvedAddressException;
            throw new IOException(
                    isUnknown ? "there is no host of this name" : "nobody accepts connections there", refused);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
