package dev.capsem.telemetry;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads our own schema file, as it is laid out, and writes it as a reference page.
///
/// @param tables in the order of the file
record SchemaDocument(List<Table> tables) {
    private static final Pattern TABLE = Pattern.compile(
            "((?:^-- [^\\n]*\\n)+)CREATE TABLE (\\w+) \\(\\n(.*?)^\\);\\n", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern INDEX =
            Pattern.compile("CREATE (UNIQUE )?INDEX \\w+ ON (\\w+) \\(([^)]*)\\)( WHERE \\w+ IS NOT NULL)?;");
    private static final Pattern VALUE = Pattern.compile("= '([^']*)'|'([^']*)'(?=[,)])");

    /// @param values the only ones allowed; empty = any
    record Column(String name, String type, List<String> values) {}

    record Table(String name, String purpose, List<Column> columns, List<String> constraints, List<String> indexes) {
        List<String> columnNames() {
            return columns.stream().map(Column::name).toList();
        }
    }

    static SchemaDocument parse(String sql) {
        List<Table> tables = new ArrayList<>();
        Matcher table = TABLE.matcher(sql);
        while (table.find()) {
            String purpose =
                    table.group(1).replaceAll("(?m)^-- ", "").replace("\n", " ").strip();
            List<Column> columns = new ArrayList<>();
            List<String> constraints = new ArrayList<>();
            for (String part : definitions(table.group(3))) {
                if (part.startsWith("UNIQUE") || part.startsWith("CHECK")) {
                    constraints.add(part);
                } else {
                    columns.add(column(part));
                }
            }
            tables.add(new Table(table.group(2), purpose, columns, constraints, indexes(sql, table.group(2))));
        }
        return new SchemaDocument(tables);
    }

    /// One definition begins on each line with four spaces; deeper lines continue it.
    private static List<String> definitions(String body) {
        List<String> parts = new ArrayList<>();
        for (String line : body.split("\n")) {
            boolean continues = line.startsWith("     ") || line.startsWith("    )");
            if (continues && !parts.isEmpty()) {
                parts.add(parts.removeLast() + " " + line.strip());
            } else {
                parts.add(line.strip());
            }
        }
        return parts.stream().map(part -> part.replaceAll(",$", "")).toList();
    }

    private static Column column(String definition) {
        int check = definition.indexOf(" CHECK (");
        String plain = check < 0 ? definition : definition.substring(0, check);
        List<String> values = new ArrayList<>();
        if (check >= 0) {
            Matcher value = VALUE.matcher(definition.substring(check));
            while (value.find()) {
                values.add(value.group(1) != null ? value.group(1) : value.group(2));
            }
        }
        int space = plain.indexOf(' ');
        return new Column(plain.substring(0, space), plain.substring(space + 1), values);
    }

    private static List<String> indexes(String sql, String table) {
        List<String> indexes = new ArrayList<>();
        Matcher index = INDEX.matcher(sql);
        while (index.find()) {
            if (index.group(2).equals(table)) {
                indexes.add("(" + index.group(3) + ")" + (index.group(1) == null ? "" : " unique")
                        + (index.group(4) == null ? "" : " where present"));
            }
        }
        return indexes;
    }

    String markdown() {
        StringBuilder page = new StringBuilder("""
                # session.db

                Generated from `session-schema.sql`; a test compares them. `mvn test -pl datapath/telemetry -am
                -Dtest=SessionSchemaTest -Dgolden.update` rewrites this page. Schema version %d (`PRAGMA user_version`).

                Written by one thread of the sandbox's capsem-process, WAL, `synchronous = NORMAL`. Readers open it read-only.
                Timestamps are RFC 3339 UTC with six digits of fraction. Texts are cut at 256 KiB.
                """.formatted(SessionSchema.VERSION));
        for (Table table : tables) {
            page.append("\n## ")
                    .append(table.name())
                    .append("\n\n")
                    .append(table.purpose())
                    .append("\n\n");
            page.append("| Column | Type | Values |\n|---|---|---|\n");
            for (Column column : table.columns()) {
                page.append("| ")
                        .append(column.name())
                        .append(" | ")
                        .append(column.type())
                        .append(" | ");
                page.append(String.join(", ", column.values())).append(" |\n");
            }
            if (!table.constraints().isEmpty()) {
                page.append("\nConstraints: ")
                        .append(String.join("; ", table.constraints()))
                        .append("\n");
            }
            if (!table.indexes().isEmpty()) {
                page.append("\nIndexes: ")
                        .append(String.join(", ", table.indexes()))
                        .append("\n");
            }
        }
        return page.toString();
    }
}
