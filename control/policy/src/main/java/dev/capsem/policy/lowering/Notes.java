package dev.capsem.policy.lowering;

import java.util.ArrayList;
import java.util.List;

/// Remarks for whoever reviews or runs an artifact, in the order of the lowering's steps.
final class Notes {
    private final List<String> list = new ArrayList<>();

    void add(String note) {
        list.add(note);
    }

    List<String> list() {
        return List.copyOf(list);
    }
}
