package dev.capsem.service.table;

/// Where a sandbox is in its life, in the words of the API.
public enum Status {
    /// Being started; not listed yet.
    STARTING("Starting"),
    RUNNING("Running"),
    /// Every process stands still in memory.
    SUSPENDED("Suspended"),
    /// Persistent, and nothing of it runs.
    STOPPED("Stopped"),
    /// Persistent, and it ended by itself.
    DEFUNCT("Defunct");

    private final String wireName;

    Status(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }

    public boolean isLive() {
        return this == STARTING || this == RUNNING || this == SUSPENDED;
    }
}
