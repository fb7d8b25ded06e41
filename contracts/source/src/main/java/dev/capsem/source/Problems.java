package dev.capsem.source;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Collects what is wrong, so that a person sees everything at once.
public final class Problems {
    private final List<Problem> list = new ArrayList<>();

    public void error(Place place, String message) {
        list.add(Problem.error(place, message));
    }

    public void warning(Place place, String message) {
        list.add(Problem.warning(place, message));
    }

    public void addAll(Collection<Problem> problems) {
        list.addAll(problems);
    }

    public int count() {
        return list.size();
    }

    public boolean hasErrors() {
        return list.stream().anyMatch(Problem::isError);
    }

    public List<Problem> list() {
        return List.copyOf(list);
    }
}
