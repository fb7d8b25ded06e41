package dev.capsem.cli.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/// Rows under headings, columns as wide as their widest cell, or narrower where the screen is. Cells are made
/// printable;
/// the last column is not padded.
public final class Table {
    private static final String GAP = "  ";
    /// Narrower than this a cell says nothing any more; the terminal wraps instead.
    private static final int YIELDED_WIDTH_MIN = 12;

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    private record Column(String heading, boolean right, int widthMax, boolean yields, UnaryOperator<String> paint) {}

    private Table(List<Column> columns) {
        this.columns = columns;
    }

    /// A heading that begins with `>` aligns its column to the right.
    public static Table of(String... headings) {
        var columns = new ArrayList<Column>();
        for (String heading : headings) {
            boolean right = heading.startsWith(">");
            String text = right ? heading.substring(1) : heading;
            columns.add(new Column(text, right, Integer.MAX_VALUE, false, UnaryOperator.identity()));
        }
        return new Table(columns);
    }

    /// Cuts cells of this column to so many characters.
    public Table cut(int column, int widthMax) {
        Column old = columns.get(column);
        columns.set(column, new Column(old.heading(), old.right(), widthMax, old.yields(), old.paint()));
        return this;
    }

    /// Cuts cells of this column when the table is wider than the screen.
    public Table yielding(int column) {
        Column old = columns.get(column);
        columns.set(column, new Column(old.heading(), old.right(), old.widthMax(), true, old.paint()));
        return this;
    }

    /// Colours cells of this column.
    public Table painted(int column, UnaryOperator<String> paint) {
        Column old = columns.get(column);
        columns.set(column, new Column(old.heading(), old.right(), old.widthMax(), old.yields(), paint));
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
        narrow(widths, screen);
        List<String> headings = columns.stream().map(Column::heading).toList();
        screen.print(screen.outInk().bold(line(headings, widths, false)));
        for (List<String> row : rows) {
            screen.print(line(row, widths, true));
        }
    }

    /// Takes what is too much from the columns that yield, each time from the widest.
    private void narrow(int[] widths, Screen screen) {
        if (columns.stream().noneMatch(Column::yields)) {
            return;
        }
        long excess = IntStream.of(widths).asLongStream().sum()
                + (long) GAP.length() * (widths.length - 1)
                - screen.columns();
        while (excess > 0) {
            int widest = -1;
            for (int i = 0; i < widths.length; i++) {
                boolean mayYield = columns.get(i).yields() && widths[i] > YIELDED_WIDTH_MIN;
                if (mayYield && (widest < 0 || widths[i] > widths[widest])) {
                    widest = i;
                }
            }
            if (widest < 0) {
                return;
            }
            widths[widest]--;
            excess--;
        }
    }

    private String line(List<String> cells, int[] widths, boolean painted) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cut(cells.get(i), widths[i]);
            String padding = " ".repeat(widths[i] - cell.length());
            String shown = painted ? columns.get(i).paint().apply(cell) : cell;
            line.append(i == 0 ? "" : GAP);
            line.append(columns.get(i).right() ? padding + shown : shown + padding);
        }
        return line.toString().stripTrailing();
    }

    private static String cut(String text, int max) {
        return text.length() <= max ? text : text.substring(0, max - 1) + "…";
    }
}
