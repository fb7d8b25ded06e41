package dev.capsem.cli.screen;

import java.util.ArrayList;
import java.util.List;

/// Rows under headings, columns as wide as their widest cell. Cells are made printable; the last column is not padded.
public final class Table {
    private static final String GAP = "  ";

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    private record Column(String heading, boolean right, int widthMax) {}

    private Table(List<Column> columns) {
        this.columns = columns;
    }

    /// A heading that begins with `>` aligns its column to the right.
    public static Table of(String... headings) {
        var columns = new ArrayList<Column>();
        for (String heading : headings) {
            boolean right = heading.startsWith(">");
            columns.add(new Column(right ? heading.substring(1) : heading, right, Integer.MAX_VALUE));
        }
        return new Table(columns);
    }

    /// Cuts cells of this column to so many characters.
    public Table cut(int column, int widthMax) {
        Column old = columns.get(column);
        columns.set(column, new Column(old.heading(), old.right(), widthMax));
        return this;
    }

    public void add(String... cells) {
        var row = new ArrayList<String>();
        for (int i = 0; i < columns.size(); i++) {
            row.add(cut(Printable.line(cells[i]), columns.get(i).widthMax()));
        }
        rows.add(row);
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    public void printTo(Screen screen) {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = columns.get(i).heading().length();
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        screen.print(
                screen.outInk().bold(line(columns.stream().map(Column::heading).toList(), widths)));
        for (List<String> row : rows) {
            screen.print(line(row, widths));
        }
    }

    private String line(List<String> cells, int[] widths) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String padding = " ".repeat(widths[i] - cells.get(i).length());
            line.append(i == 0 ? "" : GAP);
            line.append(columns.get(i).right() ? padding + cells.get(i) : cells.get(i) + padding);
        }
        return line.toString().stripTrailing();
    }

    private static String cut(String text, int max) {
        return text.length() <= max ? text : text.substring(0, max - 1) + "…";
    }
}
