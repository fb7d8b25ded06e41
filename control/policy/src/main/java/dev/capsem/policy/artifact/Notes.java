package dev.capsem.policy.artifact;

import java.util.ArrayList;
import java.util.List;

/// Remarks for whoever reviews or runs an artifact, in the order of the lowering's steps.
public final class Notes {
    private final List<String> list = new ArrayList<>();

    public void add(String note) {
        list.add(note);
    }

    public List<String> list() {
        return List.copyOf(list);
    }
}
