package dev.capsem.cli.screen;

import java.util.ArrayList;
import java.util.List;

/// Names and values, one per line, values aligned.
public final class Facts {
    private record Fact(String name, String value) {}

    private final List<Fact> facts = new ArrayList<>();

    public void add(String name, String value) {
        facts.add(new Fact(Printable.line(name), Printable.line(value)));
    }

    public void printTo(Screen screen) {
        int width = facts.stream().mapToInt(fact -> fact.name().length()).max().orElse(0);
        for (Fact fact : facts) {
            String padding = " ".repeat(width - fact.name().length() + 2);
            screen.print(screen.outInk().faint(fact.name()) + padding + fact.value());
        }
    }
}
