package dev.capsem.wire.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/// The tables that `POST /inspect/{id}` can ask, for whoever writes the question. A constant: the writer of session.db
/// tests that a fresh one has exactly these.
public final class InspectSchema {
    private static final String RESOURCE = "inspect-schema.sql";
    private static final String TABLES = "inspect-tables.txt";

    private InspectSchema() {}

    /// One line for each table: its name, a tab, what it holds.
    public static String tables() {
        return resource(TABLES);
    }

    /// CREATE TABLE statements, in the order of their names.
    public static String sql() {
        return resource(RESOURCE);
    }

    private static String resource(String name) {
        try (InputStream in = InspectSchema.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("resource " + name + " is missing from the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
