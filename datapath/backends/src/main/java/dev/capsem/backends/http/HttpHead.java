package dev.capsem.backends.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The status line and headers of a response.
record HttpHead(int status, String reason, HttpFields fields) {
    static final int BYTES_MAX = 64 * 1024;
    private static final int FIELDS_MAX = 200;

    /// Throws [IOException] when it is not HTTP/1 or larger than allowed.
    static HttpHead read(InputStream in) throws IOException {
        Budget budget = new Budget(BYTES_MAX);
        String status = line(in, budget);
        if (!status.matches("HTTP/1\\.[01] [1-9][0-9]{2}( .*)?")) {
            throw new IOException("the server does not speak HTTP/1");
        }
        List<HttpFields.Field> fields = new ArrayList<>();
        for (String line = line(in, budget); !line.isEmpty(); line = line(in, budget)) {
            int colon = line.indexOf(':');
            String name = colon < 0 ? "" : line.substring(0, colon);
            if (!HttpFields.isName(name) || fields.size() >= FIELDS_MAX) {
                throw new IOException("the server sent a broken header");
            }
            fields.add(new HttpFields.Field(name, line.substring(colon + 1).strip()));
        }
        return new HttpHead(
                Integer.parseInt(status.substring(9, 12)),
                status.length() > 13 ? status.substring(13) : "",
                new HttpFields(fields));
    }

    boolean isPersistent() {
        return fields.first("connection")
                .map(value -> !value.equalsIgnoreCase("close"))
                .orElse(true);
    }

    /// The bytes that may still be read.
    static final class Budget {
        private int left;

        Budget(int bytes) {
            this.left = bytes;
        }

        void spend() throws IOException {
            if (left-- <= 0) {
                throw new IOException("the server's headers are too large");
            }
        }
    }

    static String line(InputStream in, Budget budget) throws IOException {
        var line = new ByteArrayOutputStream();
        while (true) {
            int next = in.read();
            budget.spend();
            if (next < 0) {
                throw new IOException("the server closed the connection");
            }
            if (next == '\n') {
                String text = line.toString(StandardCharsets.ISO_8859_1);
                return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            }
            line.write(next);
        }
    }
}
