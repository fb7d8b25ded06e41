package dev.capsem.cli.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/// Rows under headings, columns as wide as their widest cell, or narrower where the screen is. Cells are made
/// printable; the last column is not padded. A row never takes two lines of the screen.
public final class Table {
    private static final String GAP = "  ";
    /// Narrower than this a cell says little: columns without which the table is useful go first.
    private static final int YIELDED_WIDTH_MIN = 12;
    /// Narrower than this a cell says nothing: its column goes.
    private static final int CELL_WIDTH_MIN = 4;

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();
    private final List<Integer> expendable = new ArrayList<>();
    private int key;

    private record Column(String heading, boolean right, int widthMax, boolean yields, UnaryOperator<String> paint) {}

    /// The columns that are shown, in order, and how wide each is.
    private record Layout(List<Integer> shown, int[] widths) {}

    private Table(List<Column> columns) {
        this.columns = columns;
    }

    /// A heading that begins with `>` aligns its column to the right. The first column is the key.
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

    /// Cuts cells of this column first when the table is wider than the screen.
    public Table yielding(int column) {
        Column old = columns.get(column);
        columns.set(column, new Column(old.heading(), old.right(), old.widthMax(), true, old.paint()));
        return this;
    }

    /// Names the column that commands take: it is never left out, and the last one to be cut.
    public Table key(int column) {
        key = column;
        return this;
    }

    /// Leaves these columns out, in this order, when cutting others is not enough.
    public Table expendable(int... inOrder) {
        IntStream.of(inOrder).forEach(expendable::add);
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
        Layout layout = layout(screen.columns());
        List<String> headings = columns.stream().map(Column::heading).toList();
        screen.print(screen.outInk().bold(line(headings, layout, false)));
        for (List<String> row : rows) {
            screen.print(line(row, layout, true));
        }
    }

    private Layout layout(int screenColumns) {
        var shown = new ArrayList<>(IntStream.range(0, columns.size()).boxed().toList());
        int[] natural = naturalWidths();
        for (int next = 0; ; next++) {
            int[] widths = natural.clone();
            if (narrow(widths, shown, YIELDED_WIDTH_MIN, true, screenColumns)) {
                return new Layout(shown, widths);
            }
            if (next == expendable.size()) {
                return squeeze(natural, shown, screenColumns);
            }
            shown.removeAll(List.of(expendable.get(next)));
        }
    }

    /// Everything but the key becomes as narrow as can be, then the key to half the screen, then columns go, from
    /// the right.
    private Layout squeeze(int[] natural, List<Integer> shown, int screenColumns) {
        while (true) {
            int[] widths = natural.clone();
            if (narrow(widths, shown, CELL_WIDTH_MIN, false, screenColumns)) {
                return new Layout(shown, widths);
            }
            long rest = shown.stream().mapToLong(i -> widths[i] + GAP.length()).sum() - GAP.length() - widths[key];
            long left = screenColumns - rest;
            if (shown.size() == 1 || left >= screenColumns / 2) {
                widths[key] = (int) Math.min(widths[key], left);
                return new Layout(shown, widths);
            }
            int last = shown.getLast();
            shown.removeAll(List.of(last == key ? shown.get(shown.size() - 2) : last));
        }
    }

    private int[] naturalWidths() {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = columns.get(i).heading().length();
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }

    /// Takes what is too much from columns that are wider than `least`, each time from the widest. Says whether the
    /// rest fits.
    private boolean narrow(int[] widths, List<Integer> shown, int least, boolean yieldingOnly, int screenColumns) {
        long excess = shown.stream().mapToLong(i -> widths[i]).sum()
                + (long) GAP.length() * (shown.size() - 1)
                - screenColumns;
        while (excess > 0) {
            int widest = -1;
            for (int i : shown) {
                boolean may = i != key
                        && widths[i] > least
                        && (!yieldingOnly || columns.get(i).yields());
                if (may && (widest < 0 || widths[i] > widths[widest])) {
                    widest = i;
                }
            }
            if (widest < 0) {
                return false;
            }
            widths[widest]--;
            excess--;
        }
        return true;
    }

    private String line(List<String> cells, Layout layout, boolean painted) {
        var line = new StringBuilder();
        for (int i : layout.shown()) {
            int width = layout.widths()[i];
            String cell = cut(cells.get(i), width);
            String padding = " ".repeat(width - cell.length());
            String shown = painted ? columns.get(i).paint().apply(cell) : cell;
            line.append(i == layout.shown().getFirst() ? "" : GAP);
            line.append(columns.get(i).right() ? padding + shown : shown + padding);
        }
        return line.toString().stripTrailing();
    }

    private static String cut(String text, int max) {
        return text.length() <= max ? text : text.substring(0, max - 1) + "…";
    }
}
