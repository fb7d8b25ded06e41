/// The record of this process: commands, refused connections and questions, files, the sandbox's own start and
/// end. Entry types: `Recorder` (facts → resolved events) and `WatchedSink` (shows them to watchers
/// on their way to the database). Nothing here knows how they are stored.
@NullMarked
package dev.capsem.process.record;

import org.jspecify.annotations.NullMarked;
