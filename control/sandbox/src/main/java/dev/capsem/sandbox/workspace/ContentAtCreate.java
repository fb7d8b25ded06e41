package dev.capsem.sandbox.workspace;

/// How a file's content at create can be known again.
sealed interface ContentAtCreate {
    /// It cannot: only the file's times, size and inode tell.
    record Unknown() implements ContentAtCreate {}

    /// Kept in the session, see [BaseContents].
    record Stored(long offset, int length) implements ContentAtCreate {}

    /// In the user's repository.
    record Blob(String name) implements ContentAtCreate {}

    /// Too large to keep.
    record Hash(String sha256) implements ContentAtCreate {}

    /// One word.
    default String text() {
        return switch (this) {
            case Unknown() -> "-";
            case Stored(long offset, int length) -> "s:" + offset + ":" + length;
            case Blob(String name) -> "b:" + name;
            case Hash(String sha256) -> "h:" + sha256;
        };
    }

    /// Throws [IllegalArgumentException] or [IndexOutOfBoundsException] for anything that [#text] does not write.
    static ContentAtCreate parse(String text) {
        String[] parts = text.split(":", -1);
        return switch (parts[0]) {
            case "-" -> new Unknown();
            case "s" -> new Stored(Long.parseLong(parts[1]), Integer.parseInt(parts[2]));
            case "b" -> new Blob(parts[1]);
            case "h" -> new Hash(parts[1]);
            default -> throw new IllegalArgumentException("unknown kind of content \"" + parts[0] + "\"");
        };
    }
}
