package dev.capsem.profiles;

import dev.capsem.profiles.file.Entry;
import dev.capsem.profiles.vocabulary.Provenance;

/// An entry in force and whom it belongs to.
public record OwnedEntry(Entry entry, Provenance provenance) {}
