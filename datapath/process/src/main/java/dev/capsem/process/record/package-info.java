/// What this process puts on record: commands, refused connections and questions, files, the sandbox's own start and
/// end. Entry types: `Recorder` (facts → resolved events) and `LiveSink` (shows them live on their
/// way to the database). Nothing here knows how they are stored.
@NullMarked
package dev.capsem.process.record;

import org.jspecify.annotations.NullMarked;
